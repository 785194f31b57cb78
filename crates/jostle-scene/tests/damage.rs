//! Damaged files are read or refused, never a panic.

use jostle_scene::{read_pairs, read_scene, read_table, read_trajectory};
use proptest::collection::vec;
use proptest::prelude::*;

const SCENE: &[u8] = br#"{"format":"jostle-scene","version":1,"dimension":3,"periodic":[0,1e2,3],
"shapes":[{"type":"sphere","radius":0.5},{"type":"box","half_extents":[1,2,3],"rounding":0.1},
{"type":"convex","points":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}],
"bodies":[{"shape":2,"position":[0.0,-1.5e-3,7],"rotation":[0,0,0.6,0.8],"velocity":[1,2,3],"group":1,"mask":7,
"static":true,"parent":3},{"shape":0,"position":[1,2,3]}],"pairs":[[0,1],[1,0]]}"#;
const CSV: &[u8] =
    b"a,b,distance,ax,ay,bx,by,nx,ny,lower,upper,status,minimal\n0,1,1,0,0,1,0,1,0,1,1,separated,proved\n";
const LINES: &[u8] = br#"{"a":0,"b":1,"distance":1,"ax":0,"ay":0,"bx":0,"by":0,"nx":1,"ny":0,"lower":"-inf","upper":1,
"status":"touching","minimal":"searched"}"#;
const RECORDING: &[u8] = b"# id frame x/cm y/cm z/cm\n1 94 -554.56 309.452 176\n1 95 -548.555 310.541 176\n";

/// Each kind of file, and Arrow IPC in all its ways (see `pyarrow/make.py`).
const SAMPLES: &[&[u8]] = &[
    SCENE,
    CSV,
    LINES,
    RECORDING,
    #[cfg(feature = "arrow")]
    include_bytes!("pyarrow/one-batch.arrow"),
    #[cfg(feature = "arrow")]
    include_bytes!("pyarrow/batches.arrows"),
    #[cfg(feature = "arrow")]
    include_bytes!("pyarrow/legacy.arrows"),
    #[cfg(feature = "arrow")]
    include_bytes!("pyarrow/lz4.arrow"),
    #[cfg(feature = "arrow")]
    include_bytes!("pyarrow/lz4.arrows"),
    #[cfg(feature = "arrow")]
    include_bytes!("pyarrow/plane-single.arrow"),
    #[cfg(feature = "arrow")]
    include_bytes!("pyarrow/rows-dictionary.arrow"),
    #[cfg(feature = "arrow")]
    include_bytes!("pyarrow/rows-dictionary.arrows"),
    #[cfg(feature = "arrow")]
    include_bytes!("pyarrow/rows-delta.arrows"),
    #[cfg(feature = "arrow")]
    include_bytes!("pyarrow/rows-view.arrow"),
    #[cfg(feature = "arrow")]
    include_bytes!("pyarrow/rows-f64-large.arrows"),
];

fn read_everything(bytes: &[u8]) {
    let _ = read_scene("s", bytes);
    let _ = read_table("r", bytes);
    let _ = read_trajectory("t", bytes, None);
    let _ = read_pairs("p", bytes, 10);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn bytes_changed(changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        for sample in SAMPLES {
            let mut bytes = sample.to_vec();
            for (place, byte) in &changes {
                *place.get_mut(&mut bytes) = *byte;
            }
            read_everything(&bytes);
        }
    }
    #[test]
    fn words_moved(from: prop::sample::Index, length in 0..30usize, to: prop::sample::Index) {
        for sample in SAMPLES {
            let mut bytes = sample.to_vec();
            let from = from.index(bytes.len());
            let cut: Vec<u8> = bytes.drain(from..(from + length).min(sample.len())).collect();
            let to = to.index(bytes.len() + 1);
            bytes.splice(to..to, cut);
            read_everything(&bytes);
        }
    }
    #[test]
    fn bytes_lost(end: prop::sample::Index) {
        for sample in SAMPLES {
            read_everything(&sample[..end.index(sample.len())]);
        }
    }
    #[test]
    fn anything(bytes in vec(any::<u8>(), 0..200)) {
        read_everything(&bytes);
    }
}
