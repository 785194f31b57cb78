//! The same bytes for any number of threads and every instruction set.

mod common;

use common::{Folder, jostle, succeed};

#[test]
fn threads_and_instruction_sets_change_no_byte() {
    let folder = Folder::new();
    for (kind, dimension) in
        [("uniform", "2"), ("uniform", "3"), ("mixed", "3"), ("flat", "2"), ("stacks", "3"), ("lattice", "3")]
    {
        let scene = folder.at("scene.json");
        succeed(&["generate", kind, "--dimension", dimension, "--bodies", "3000", "-o", &scene]);
        for precision in ["f32", "f64"] {
            let contacts = |isa: &str, threads: &str| {
                let mut command = jostle();
                command.env("JOSTLE_ISA", isa).args(["contacts", &scene, "--margin", "0.1", "--certificate"]);
                let output = command.args(["--precision", precision, "--threads", threads]).output().unwrap();
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                output.stdout
            };
            let one = contacts("", "1");
            assert!(one.len() > 10_000, "{kind} has too few contacts to tell");
            for isa in jostle::Isa::ALL.into_iter().filter(|isa| isa.available()) {
                for threads in ["1", "2"] {
                    assert!(contacts(isa.name(), threads) == one, "{kind} {dimension}D {precision} {isa} {threads}");
                }
            }
        }
    }
}
