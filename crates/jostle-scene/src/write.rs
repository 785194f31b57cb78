//! Writing scenes: one body a line, shortest decimals, nothing that the reader would assume anyway.

use std::io::{self, Write};

use crate::number::{push, push_whole};
use crate::scene::{AnyScene, Scene, SceneSpace};
use crate::spec::ShapeSpec;

/// Text goes out in pieces of so many bytes.
pub(crate) const PIECE_BYTES: usize = 1 << 16;

/// Writes a scene in the scene format.
///
/// Reading the text gives an equal scene, provided that its quaternions are normalised (those that were read are).
///
/// ```
/// use jostle::{Body, D2};
/// use jostle_scene::{Scene, ShapeSpec, write_scene};
///
/// let mut scene = Scene::<D2>::new();
/// let disc = scene.add_shape(ShapeSpec::Ball { radius: 0.3 })?;
/// scene.bodies.push(Body::new(disc, [1.0, 0.25]).fixed())?;
/// let mut text = Vec::new();
/// write_scene(&scene.into(), &mut text)?;
/// assert_eq!(
///     String::from_utf8(text)?,
///     r#"{"format":"jostle-scene","version":1,"dimension":2,
/// "shapes":[
/// {"type":"circle","radius":0.3}
/// ],
/// "bodies":[
/// {"shape":0,"position":[1,0.25],"static":true}
/// ]}
/// "#
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If writing fails, or the descriptions of the shapes are not as many as the shapes.
pub fn write_scene(scene: &AnyScene, out: &mut impl Write) -> io::Result<()> {
    match scene {
        AnyScene::Plane(scene) => write_in(scene, out),
        AnyScene::Space(scene) => write_in(scene, out),
    }
}

/// Writes a list of shapes alone, as it stands in a scene under `shapes`, on one line.
///
/// ```
/// use jostle::D3;
/// use jostle_scene::{ShapeSpec, write_shapes};
///
/// let mut text = Vec::new();
/// write_shapes(&[ShapeSpec::<D3>::Ball { radius: 1.5 }], &mut text)?;
/// assert_eq!(text, br#"[{"type":"sphere","radius":1.5}]"#);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// If writing fails.
pub fn write_shapes<S: SceneSpace>(shapes: &[ShapeSpec<S>], out: &mut impl Write) -> io::Result<()> {
    let mut text = vec![b'['];
    for (index, shape) in shapes.iter().enumerate() {
        if index > 0 {
            text.push(b',');
        }
        push_shape(&mut text, shape);
        pass_on(&mut text, PIECE_BYTES, out)?;
    }
    text.push(b']');
    pass_on(&mut text, 0, out)
}

/// Writes what there is of the text if it has so many bytes.
#[inline]
pub(crate) fn pass_on(text: &mut Vec<u8>, at_least: usize, out: &mut impl Write) -> io::Result<()> {
    if text.len() >= at_least {
        out.write_all(text)?;
        text.clear();
    }
    Ok(())
}

/// Refuses a scene whose shapes are not those that it describes.
pub(crate) fn same_count<S: SceneSpace>(scene: &Scene<S>) -> io::Result<()> {
    let (described, used) = (scene.shapes.len(), scene.bodies.shapes().len());
    if described == used {
        return Ok(());
    }
    let message = format!("{described} descriptions for {used} shapes: add shapes with Scene::add_shape");
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

fn write_in<S: SceneSpace>(scene: &Scene<S>, out: &mut impl Write) -> io::Result<()> {
    same_count(scene)?;
    let mut text = Vec::with_capacity(2 * PIECE_BYTES);
    text.extend_from_slice(br#"{"format":"jostle-scene","version":1,"dimension":"#);
    push_whole(&mut text, S::DIMENSION);
    if let Some(lengths) = &scene.periodic {
        push_list(&mut text, ",\n\"periodic\":", lengths.as_ref());
    }
    write_list(&mut text, "shapes", scene.shapes.len(), out, |text, index| push_shape(text, &scene.shapes[index]))?;
    write_list(&mut text, "bodies", scene.bodies.len(), out, |text, index| push_body(text, scene, index))?;
    if let Some(pairs) = &scene.pairs {
        write_list(&mut text, "pairs", pairs.len(), out, |text, index| {
            push_key(text, "[", pairs[index][0]);
            push_key(text, ",", pairs[index][1]);
            text.push(b']');
        })?;
    }
    text.extend_from_slice(b"}\n");
    pass_on(&mut text, 0, out)
}

fn write_list(
    text: &mut Vec<u8>,
    key: &str,
    count: usize,
    out: &mut impl Write,
    mut push_item: impl FnMut(&mut Vec<u8>, usize),
) -> io::Result<()> {
    text.extend_from_slice(b",\n\"");
    text.extend_from_slice(key.as_bytes());
    text.extend_from_slice(b"\":[");
    for index in 0..count {
        text.extend_from_slice(if index == 0 { b"\n" } else { b",\n" });
        push_item(text, index);
        pass_on(text, PIECE_BYTES, out)?;
    }
    text.extend_from_slice(if count == 0 { b"]" } else { b"\n]" });
    Ok(())
}

fn push_key(text: &mut Vec<u8>, before: &str, value: u32) {
    text.extend_from_slice(before.as_bytes());
    push_whole(text, value);
}

fn push_number(text: &mut Vec<u8>, before: &str, value: f64) {
    text.extend_from_slice(before.as_bytes());
    push(text, value);
}

pub(crate) fn push_list(text: &mut Vec<u8>, before: &str, values: &[f64]) {
    text.extend_from_slice(before.as_bytes());
    for (index, &value) in values.iter().enumerate() {
        text.push(if index == 0 { b'[' } else { b',' });
        push(text, value);
    }
    text.push(b']');
}

fn push_shape<S: SceneSpace>(text: &mut Vec<u8>, shape: &ShapeSpec<S>) {
    text.extend_from_slice(br#"{"type":""#);
    text.extend_from_slice(shape.type_name().as_bytes());
    text.push(b'"');
    let rounding = match shape {
        ShapeSpec::Ball { radius } => {
            push_number(text, ",\"radius\":", *radius);
            0.0
        }
        ShapeSpec::Capsule { half_length, radius } => {
            push_number(text, ",\"half_length\":", *half_length);
            push_number(text, ",\"radius\":", *radius);
            0.0
        }
        ShapeSpec::Box { half_extents, rounding } => {
            push_list(text, ",\"half_extents\":", half_extents.as_ref());
            *rounding
        }
        ShapeSpec::Cylinder { half_height, radius, rounding } | ShapeSpec::Cone { half_height, radius, rounding } => {
            push_number(text, ",\"half_height\":", *half_height);
            push_number(text, ",\"radius\":", *radius);
            *rounding
        }
        ShapeSpec::Convex { points, rounding } => {
            for (index, point) in points.iter().enumerate() {
                push_list(text, if index == 0 { ",\"points\":[" } else { "," }, point.as_ref());
            }
            text.push(b']');
            *rounding
        }
    };
    if rounding != 0.0 {
        push_number(text, ",\"rounding\":", rounding);
    }
    text.push(b'}');
}

fn push_body<S: SceneSpace>(text: &mut Vec<u8>, scene: &Scene<S>, index: usize) {
    let body = scene.bodies.get(index);
    push_key(text, "{\"shape\":", body.shape);
    push_list(text, ",\"position\":", body.position.as_ref());
    if body.rotation != S::identity_rotation() {
        match body.rotation.as_ref() {
            [angle] => push_number(text, ",\"rotation\":", *angle),
            quaternion => push_list(text, ",\"rotation\":", quaternion),
        }
    }
    if body.velocity.as_ref().iter().any(|&x| x != 0.0) {
        push_list(text, ",\"velocity\":", body.velocity.as_ref());
    }
    if body.group != u32::MAX {
        push_key(text, ",\"group\":", body.group);
    }
    if body.mask != u32::MAX {
        push_key(text, ",\"mask\":", body.mask);
    }
    if body.fixed {
        text.extend_from_slice(b",\"static\":true");
    }
    if let Some(parent) = body.parent {
        push_key(text, ",\"parent\":", parent);
    }
    text.push(b'}');
}
