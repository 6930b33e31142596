//! Articles about results of every task, as readers without scripts see them.

use explain::snapshot::{JobStatus, TextInfo};
use kernels::alignment::Alignment;
use kernels::job::Task;
use kernels::text::Pair;

use super::*;

fn article(a: &str, b: &str, cigar: &str, unit: Unit) -> ResultArticle {
    let options = JobOptions { unit, ..JobOptions::default() };
    let pair = Pair::parse(a.as_bytes(), b.as_bytes(), &options.reading()).unwrap();
    let alignment: Alignment = cigar.parse().unwrap();
    let info =
        |text: &kernels::text::Text| TextInfo { symbols: text.len() as u64, bytes: text.bytes().len() as u64, ..TextInfo::default() };
    let summary = alignment.summary();
    let new = JobSnapshot::new("1".into(), Task::EditDistance, options, info(&pair.a), info(&pair.b));
    let answer = TaskAnswer::from_distance(summary.distance(), Some(summary));
    ResultArticle {
        snapshot: JobSnapshot { state: JobStatus::Succeeded, answer: Some(answer), ..new },
        names: [None, None],
        created_at: 0,
        expires_at: Some(86_400),
        window: Some(AlignmentWindow::new(&alignment, &pair, 0, COLUMNS)),
        hits: Vec::new(),
        heads: [a.into(), b.into()],
        parts: "/api/v1/links/1".into(),
        page: None,
    }
}

#[test]
fn article_contains_answer_alignment_and_edits() {
    let html = article("kitten", "sitting", "1X3=1X1=1I", Unit::Graphemes).html(Language::English);
    for part in [
        "shared on 1 January 1970",
        "expires on 2 January 1970",
        "<p class=\"big\">3</p>",
        "edits turn <var>a</var> into <var>b</var>",
        "substitute",
        "7 columns",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert!(html.contains("<mark>k</mark>") && html.contains("<ins>g</ins>") && html.contains("<s>–</s>"), "{html}");
    assert!(html.contains("/api/v1/links/1/export?format=cigar"));
}

#[test]
fn ambiguity_codes_are_matching_in_the_legend() {
    let mut codes = article("RN", "GC", "2=", Unit::Bytes);
    codes.snapshot.options.ambiguity = true;
    let html = codes.html(Language::English);
    assert!(html.contains("<b>2</b> matching") && !html.contains("<b>2</b> equal"), "{html}");
}

#[test]
fn edits_beyond_the_limit_are_counted_not_listed() {
    let of = |edits: usize| article(&"ab".repeat(edits), &"ac".repeat(edits), &"1=1X".repeat(edits), Unit::Bytes).html(Language::English);
    let listed = |html: &str| html.matches("<code>c</code>").count();
    let few = of(40);
    assert_eq!(listed(&few), 40);
    assert!(!few.contains("Not listed here"), "{few}");
    let many = of(1_000);
    let shown = listed(&many);
    assert!((60..200).contains(&shown), "{shown}");
    assert!(many.contains(&format!("Not listed here: {} edits. The files list all of them.", 1_000 - shown)), "{many}");
    let (from, to) = (many.find("The first edits").unwrap(), many.find("Not listed here").unwrap());
    assert!(to - from <= EDITS_BYTES, "{} bytes", to - from);
}

#[test]
fn typed_markup_is_escaped() {
    let evil = "<script>alert(1)</script>\"'&<img src=x onerror=alert(1)><!>";
    let mut article = article(evil, "", &format!("{}D", evil.len()), Unit::Bytes);
    article.names = [Some(evil.into()), Some(evil.into())];
    article.snapshot.a.name = Some(evil.into());
    article.hits = vec![ArticleHit { hit: Some(Hit::new(0, 1, 0)), text: [evil.into(), evil.into(), evil.into()] }];
    for (window, page) in [(true, None), (false, None), (true, Some("/r/1".to_owned())), (false, Some("/r/1".to_owned()))] {
        let html = ResultArticle { window: article.window.clone().filter(|_| window), page, ..article.clone() }.html(Language::English);
        assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
        assert!(html.contains("&lt;script&gt;") && html.contains("alert(1)&gt;&lt;!&gt;"), "the text is shown literally");
    }
    for unit in [Unit::Words, Unit::Lines] {
        let html = ResultArticle { page: None, ..article_of_units(evil, unit) }.html(Language::English);
        assert!(!html.contains("<script") && !html.contains("<img"), "{html}");
    }
}

fn article_of_units(evil: &str, unit: Unit) -> ResultArticle {
    let units = Pair::parse(evil.as_bytes(), &b""[..], &kernels::text::ReadingOptions { unit, ..Default::default() }).unwrap().a.len();
    article(evil, "", &format!("{units}D"), unit)
}

#[test]
fn words_are_shown_one_after_another() {
    let html = article("a red house", "a blue house", "1=1X1=", Unit::Words).html(Language::English);
    assert!(html.contains("<del>red</del>") && html.contains("<ins>blue</ins>"), "{html}");
    assert!(html.contains("counted in words") || html.contains("Counted in words"));
}
