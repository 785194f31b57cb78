//! Writing scenes as Arrow IPC.

use std::io::{self, Write};

use crate::arrow;
use crate::form::ArrowForm;
use crate::scene::AnyScene;

/// Writes a scene as Arrow IPC: a column for each property that some body has, in batches of 65,536 bodies; the shapes,
/// as JSON, in the schema's metadata.
///
/// ```
/// use jostle::{Body, D3};
/// use jostle_scene::{AnyScene, ArrowForm, Scene, ShapeSpec, read_scene, write_scene_arrow};
///
/// let mut scene = Scene::<D3>::new();
/// let ball = scene.add_shape(ShapeSpec::Ball { radius: 0.3 })?;
/// scene.bodies.push(Body::new(ball, [1.0, 0.25, 0.0]))?;
/// let scene = AnyScene::from(scene);
/// let mut bytes: Vec<u8> = Vec::new();
/// # #[cfg(feature = "arrow")] {
/// write_scene_arrow(&scene, ArrowForm::File, &mut bytes)?;
/// assert_eq!(read_scene("ball.arrow", &bytes)?, scene);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If writing fails, the scene lists pairs (the layout has no place for them), the descriptions of the shapes are not
/// as many as the shapes, or this build is without Arrow IPC.
pub fn write_scene_arrow(scene: &AnyScene, form: ArrowForm, out: &mut impl Write) -> io::Result<()> {
    arrow::write_scene(scene, form, out)
}
