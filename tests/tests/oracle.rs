//! The oracle's cases, if they are beside the checkout: every row is checked against the table and against its own
//! proof, in both precisions.

use jostle_tests::{Table, cases, workspace};

#[test]
fn every_row_of_the_oracle() {
    let folder = workspace().join("../shared/oracle/cases");
    let Ok(themes) = std::fs::read_dir(&folder) else {
        println!("skipped: {} is not there", folder.display());
        return;
    };
    let mut themes: Vec<_> = themes.map(|entry| entry.expect("a readable folder").path()).collect();
    themes.sort();
    let (mut rows, mut wrong) = (0, Vec::new());
    for theme in themes.iter().filter(|path| path.is_dir()) {
        let name = theme.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for case in cases(theme, Table::Solved) {
            rows += case.expected.len();
            let found = case.hold::<f32>().into_iter().chain(case.hold::<f64>());
            wrong.extend(found.map(|text| format!("{name}/{text}")));
        }
    }
    println!("{rows} rows");
    assert!(rows > 0, "{} holds no cases", folder.display());
    assert!(wrong.is_empty(), "{} complaints\n{}", wrong.len(), wrong.join("\n"));
}
