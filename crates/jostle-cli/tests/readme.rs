//! What README.md and docs/cli.md show on the command line is what the command prints.
//!
//! A fence of the language `console` is a session in a shell: every line that begins with `$ ` is run as it stands, and
//! has to print the lines under it, all of them (`...` at the end stands for more) and nothing else. Fences of a
//! session share one folder, in which `data` is the repository's. What prints times is no `console`: it stands in a
//! fence of another language. A fence under the comment [`NEEDS_DATA`] reads recordings that are not kept here; it is
//! run where the environment variable `JOSTLE_DATA` names their folder. (`trycmd`, which reads such fences too, runs no
//! shell: no `grep`, no comments.)
#![cfg(all(unix, feature = "arrow"))]

mod common;

use common::{Folder, jostle};

const README: &str = include_str!("../../../README.md");
/// In this order: the second goes on where the first ends.
const PAGES: [(&str, &str); 2] = [("README.md", README), ("docs/cli.md", include_str!("../../../docs/cli.md"))];
const NEEDS_DATA: &str = "<!-- needs JOSTLE_DATA -->";

/// One command, and what is printed under it.
#[derive(Debug)]
struct Example {
    /// Which line of the file it is, counted from 1.
    line: usize,
    command: String,
    printed: Vec<String>,
    needs_data: bool,
}

/// The lines of each fence of a language, each with its number; and whether it stands under [`NEEDS_DATA`].
fn fences<'a>(text: &'a str, language: &str) -> Vec<(Vec<(usize, &'a str)>, bool)> {
    let (mut fences, mut inside, mut above) = (Vec::new(), None, "");
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), inside.take()) {
            (Some(of), None) => inside = Some((of, Vec::new(), above == NEEDS_DATA)),
            (Some(_), Some((of, lines, needs_data))) => fences.extend((of == language).then_some((lines, needs_data))),
            (None, Some((of, mut lines, needs_data))) => {
                lines.push((index + 1, line));
                inside = Some((of, lines, needs_data));
            }
            (None, None) => {}
        }
        above = line;
    }
    assert!(inside.is_none(), "a fence is never closed");
    fences
}

/// The commands of all sessions, in order.
fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    for (lines, needs_data) in fences(text, "console") {
        let first = examples.len();
        for (line, text) in lines {
            if let Some(command) = text.strip_prefix("$ ") {
                examples.push(Example { line, command: command.to_owned(), printed: Vec::new(), needs_data });
            } else {
                let example = examples[first..].last_mut().unwrap_or_else(|| panic!("line {line}: what prints this?"));
                example.printed.push(text.to_owned());
            }
        }
    }
    examples
}

/// The first line that is not as shown: how far it is below the command, what is shown, and what is printed.
fn difference(shown: &[String], printed: &str) -> Option<(usize, String, String)> {
    let (shown, open) = match shown.split_last() {
        Some((last, before)) if last == "..." => (before, true),
        _ => (shown, false),
    };
    let mut printed = printed.lines();
    for (index, line) in shown.iter().enumerate() {
        let found = printed.next();
        if found != Some(line) {
            return Some((index + 1, line.clone(), found.unwrap_or("(nothing more)").to_owned()));
        }
    }
    let more = printed.next().filter(|_| !open)?;
    Some((shown.len() + 1, "(nothing more)".to_owned(), more.to_owned()))
}

#[test]
fn sessions_print_what_pages_show() {
    let folder = Folder::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::os::unix::fs::symlink(root.join("data"), folder.path().join("data")).expect("can be linked");
    let recordings = std::env::var_os("JOSTLE_DATA");
    for entry in recordings.iter().flat_map(|path| std::fs::read_dir(path).expect("JOSTLE_DATA is a folder")) {
        let entry = entry.expect("can be read");
        std::os::unix::fs::symlink(entry.path(), folder.path().join(entry.file_name())).expect("can be linked");
    }
    // Where a shell finds `jostle`.
    let built = std::path::Path::new(env!("CARGO_BIN_EXE_jostle")).parent().expect("lies in a folder");
    let before = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([built.to_owned()].into_iter().chain(std::env::split_paths(&before)));
    let path = path.expect("is a path");

    let (mut ran, mut compared) = (0, 0);
    let all = PAGES.iter().flat_map(|&(page, text)| examples(text).into_iter().map(move |example| (page, example)));
    for (page, Example { line, command, printed, needs_data }) in all {
        if needs_data && recordings.is_none() {
            println!("{page}:{line}: skipped, JOSTLE_DATA does not say where the recordings are: {command}");
            continue;
        }
        println!("{page}:{line}: {command}");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &command]).current_dir(folder.path()).env("PATH", &path).env_remove("JOSTLE_ISA");
        let output = shell.output().expect("there is a shell");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && error.is_empty(), "{page}:{line}: `{command}` says {error}");
        let found = String::from_utf8(output.stdout).expect("is text");
        if let Some((below, shown, found)) = difference(&printed, &found) {
            let at = line + below;
            panic!("{page}:{at}, of `{command}`\n    shows  {shown}\n    prints {found}");
        }
        ran += 1;
        compared += printed.len();
    }
    println!("{ran} commands ran, {compared} lines are as shown");
    assert!(
        ran >= 13 && compared >= 9,
        "the pages show {ran} commands and {compared} lines of results: where are the others?"
    );
}

/// What `demo` counts is the same everywhere; times, threads and the instruction set are the machine's.
#[test]
fn demo_counts_what_readme_shows() {
    let of_demo =
        |(lines, _): &(Vec<(usize, &str)>, bool)| lines.first().is_some_and(|(_, line)| line.starts_with("bodies"));
    let shown = fences(README, "text").into_iter().find(of_demo).expect("README.md shows what `demo` prints").0;
    let folder = Folder::new();
    let output = jostle().args(["demo", "--threads", "2"]).current_dir(folder.path()).output().expect("jostle starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8(output.stdout).expect("is text");
    let machine = |line: &str| line.contains(" ms") || line.starts_with("instruction set");
    // Of what is the machine's, the name.
    let told = |line: &str| -> String {
        if machine(line) { line.split("  ").next().unwrap_or_default().to_owned() } else { line.to_owned() }
    };
    assert!(shown.iter().filter(|(_, line)| !machine(line)).count() >= 5, "{shown:?}");
    for (index, (line, text)) in shown.iter().enumerate() {
        let found = printed.lines().nth(index).unwrap_or("(nothing more)");
        assert_eq!(told(found), told(text), "README.md:{line} is not what `jostle demo` prints");
    }
    assert_eq!(printed.lines().count(), shown.len(), "README.md lacks lines that `jostle demo` prints");
}

#[test]
fn what_differs_is_seen() {
    let shown = |lines: &[&str]| -> Vec<String> { lines.iter().map(|&line| line.to_owned()).collect() };
    assert_eq!(difference(&shown(&["1", "2"]), "1\n2\n"), None);
    assert_eq!(difference(&shown(&["1", "..."]), "1\n2\n3\n"), None);
    assert_eq!(difference(&shown(&["1", "2"]), "1\n3\n"), Some((2, "2".into(), "3".into())));
    assert_eq!(difference(&shown(&["1", "2"]), "1\n"), Some((2, "2".into(), "(nothing more)".into())));
    assert_eq!(difference(&shown(&[]), "1\n"), Some((1, "(nothing more)".into(), "1".into())));
    let text = format!("```text\n$ no\n```\n{NEEDS_DATA}\n```console\n$ one\n1\n$ two\n```\n");
    let [one, two] = &examples(&text)[..] else { panic!("two commands") };
    assert_eq!((one.line, one.printed.len(), one.needs_data), (6, 1, true));
    assert_eq!((two.line, two.printed.len(), two.command.as_str()), (8, 0, "two"));
}
