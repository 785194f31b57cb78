//! Grains.
