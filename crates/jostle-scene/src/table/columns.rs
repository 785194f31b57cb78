//! What is wrong with the columns of a table that is none of results, told so that the difference is seen.

use super::names::{A, B, DISTANCE, OVERLAP, STATUS, TIME};
use super::proximity::ResultColumns;
use crate::error::{LONGEST, quoted};

/// The names of the columns of each result table that there is.
fn layouts() -> impl Iterator<Item = Vec<&'static str>> {
    ResultColumns::all().map(ResultColumns::names)
}

/// The same, as one sentence for all that is short enough to be shown as a whole: what is called `what` there.
fn in_full(what: &str, found: &[&str], comma: &str) -> Option<String> {
    let shown = found.join(comma);
    // What is of the plane lacks what the plane does not have.
    let has = |names: &[&str]| names.iter().any(|name| found.contains(name));
    let plane = has(&["ax", "ay", "bx", "by", "nx", "ny"]) && !has(&["az", "bz", "nz"]);
    let wanted = if plane { ResultColumns::PLANE } else { ResultColumns::SPACE }.names().join(comma);
    (shown.chars().count() <= LONGEST).then(|| format!("the {what} {} instead of `{wanted}`", quoted(&shown)))
}

/// That these are the columns of another table that the command writes, if they are. Its normal, point or shift is not
/// looked at.
pub(super) fn other_table(found: &[&str]) -> Option<String> {
    let has = |names: &[&str]| names.iter().all(|name| found.contains(name));
    let what = if has(&[DISTANCE]) {
        return None;
    } else if has(&[A, B, STATUS, TIME]) {
        "casts"
    } else if has(&[A, B, OVERLAP]) {
        "overlaps"
    } else {
        return None;
    };
    Some(format!("a table of {what}, not one of distances"))
}

/// Of columns in a fixed order, the header of CSV: the first that is not as in any table.
pub(super) fn wrong_header(found: &[&str]) -> String {
    other_table(found).or_else(|| in_full("header is", found, ",")).unwrap_or_else(|| {
        let same = |names: &Vec<&str>| names.iter().zip(found).take_while(|(name, found)| name == found).count();
        let most = layouts().map(|names| same(&names)).max().unwrap_or(0);
        let mut wanted: Vec<String> = Vec::new();
        for names in layouts().filter(|names| same(names) == most) {
            wanted.extend(names.get(most).map(|name| format!("`{name}`")).filter(|name| !wanted.contains(name)));
        }
        match (found.get(most), &wanted[..]) {
            (Some(name), []) => format!("column {} is {}, where a result table has ended", most + 1, quoted(name)),
            (Some(name), _) => format!("column {} is {} instead of {}", most + 1, quoted(name), wanted.join(" or ")),
            (None, _) => format!("the header ends before {}", wanted.join(" or ")),
        }
    })
}

/// Of columns in any order, those of Arrow IPC: the first that no table has, or that is there twice or not at all.
#[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "nothing else has columns in any order"))]
pub(crate) fn wrong_columns(found: &[&str]) -> String {
    other_table(found).or_else(|| in_full("columns are", found, ", ")).unwrap_or_else(|| {
        let all: Vec<Vec<&str>> = layouts().collect();
        if let Some(name) = found.iter().find(|name| !all.iter().any(|names| names.contains(name))) {
            return format!("the column {} is none of a result table", quoted(name));
        }
        if let Some((_, name)) = found.iter().enumerate().find(|(index, name)| found[..*index].contains(name)) {
            return format!("the column `{name}` stands twice");
        }
        // In the table with these columns that lacks the fewest.
        let lacking = |names: &Vec<&'static str>| -> Option<Vec<&str>> {
            let whole = found.iter().all(|name| names.contains(name));
            whole.then(|| names.iter().copied().filter(|name| !found.contains(name)).collect())
        };
        let missing = all.iter().filter_map(lacking).min_by_key(Vec::len).unwrap_or_default();
        format!("the column `{}` is missing", missing.first().copied().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::{wrong_columns, wrong_header};

    const SPACE: &str = "a,b,distance,ax,ay,az,bx,by,bz,nx,ny,nz";

    #[test]
    fn the_first_difference_is_named() {
        let header = |text: String| wrong_header(&text.split(',').collect::<Vec<_>>());
        assert_eq!(header("a,b,gap".to_owned()), format!("the header is `a,b,gap` instead of `{SPACE}`"));
        let plane = "a,b,distance,ax,ay,bx,by,nx,ny";
        assert_eq!(
            header(plane.replace("bx", "cx")),
            format!("the header is `{}` instead of `{plane}`", plane.replace("bx", "cx"))
        );
        assert_eq!(header(format!("{SPACE},lowest,upper")), "column 13 is `lowest` instead of `sx` or `lower`");
        assert_eq!(header(SPACE.replace("bx", "cx") + ",more"), "column 7 is `cx` instead of `bx`");
        assert_eq!(header(SPACE.replace("az", "cz") + ",more"), "column 6 is `cz` instead of `bx` or `az`");
        assert_eq!(header(format!("{SPACE},lower,upper,status")), "the header ends before `minimal`");
        let whole = format!("{SPACE},sx,sy,sz,lower,upper,status,minimal");
        assert_eq!(header(format!("{whole},more")), "column 20 is `more`, where a result table has ended");
        assert_eq!(header(whole.replace("a,b", "b,a")), "column 1 is `b` instead of `a`");
    }

    #[test]
    fn the_first_column_that_is_wrong_is_named() {
        let columns = |text: String| wrong_columns(&text.split(',').collect::<Vec<_>>());
        let shown = SPACE.replace(',', ", ");
        assert_eq!(columns("a,b,gap".to_owned()), format!("the columns are `a, b, gap` instead of `{shown}`"));
        assert_eq!(columns(format!("lowest,{SPACE}")), "the column `lowest` is none of a result table");
        assert_eq!(columns(format!("{SPACE},nx")), "the column `nx` stands twice");
        assert_eq!(columns(SPACE.replace(",by", "")), "the column `by` is missing");
        assert_eq!(columns(format!("{SPACE},lower,upper,status")), "the column `minimal` is missing");
    }

    #[test]
    fn other_tables_are_named() {
        let casts = ["nx", "ny", "a", "b", "status", "time", "px", "py"];
        assert_eq!(wrong_columns(&casts), "a table of casts, not one of distances");
        assert_eq!(wrong_header(&casts), "a table of casts, not one of distances");
        assert_eq!(wrong_columns(&["a", "b", "overlap"]), "a table of overlaps, not one of distances");
        assert!(wrong_columns(&["a", "overlap"]).starts_with("the columns are"));
        assert!(wrong_columns(&["a", "b", "overlap", "distance"]).starts_with("the columns are"));
    }
}
