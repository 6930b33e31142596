use kernels::collection::{AnswerLimits, Collection, CollectionQuestion, KeptPairs, MemberSource, MemberSplit, SideSources};
use kernels::cpu::Cpu;
use kernels::job::JobOptions;
use kernels::run::{NoObserver, Run};

use super::*;

fn side(text: &str) -> SideSources {
    SideSources { sources: vec![MemberSource { name: "list".into(), bytes: text.as_bytes().into() }], split: MemberSplit::Lines }
}

/// Returns the answer about the lines of `a`, and of `b` if given, in `format`.
fn written(task: Task, a: &str, b: Option<&str>, keep: KeptPairs, format: CollectionFormat) -> Result<Vec<u8>, String> {
    written_as(true, task, a, b, keep, format)
}

/// Returns the answer like [`written`], with the names of texts or with their numbers.
fn written_as(has_names: bool, task: Task, a: &str, b: Option<&str>, keep: KeptPairs, format: CollectionFormat) -> Result<Vec<u8>, String> {
    let options = JobOptions { alignment: false, ..JobOptions::default() };
    let collection = Collection::parse(side(a), b.map(side), &options.reading()).unwrap();
    let limits = AnswerLimits { max_scores: 100, max_pairs: 100 };
    let question = CollectionQuestion::new(task, &options, keep, &collection).unwrap();
    let answer = question.solve(&collection, &limits, &Cpu::SINGLE, &Run::new(&NoObserver)).unwrap();
    let answered = AnsweredCollection { collection: &collection, rule: question.rule(), keep, answer: &answer, max_pairs: 9, has_names };
    let mut file = Vec::new();
    answered.write(format, &mut file).map(|()| file).map_err(|error| error.to_string())
}

fn text(task: Task, a: &str, b: Option<&str>, keep: KeptPairs, format: CollectionFormat) -> String {
    String::from_utf8(written(task, a, b, keep, format).unwrap()).unwrap()
}

const WORDS: &str = "kitten\nsitting\nkitten\n=mitten, 2";
const ALL: KeptPairs = KeptPairs::All;

#[test]
fn every_format_of_all_pairs_has_their_scores() {
    let own = |format| text(Task::EditDistance, WORDS, None, ALL, format);
    assert_eq!(
        own(CollectionFormat::Json),
        r#"{"task":"edit-distance","distinct":3,"names":["kitten","sitting","kitten","=mitten, 2"],"lengths":[6,7,6,10],"scores":[[0,3,0,5],[3,0,3,6],[0,3,0,5],[5,6,5,0]]}"#
    );
    assert_eq!(
        own(CollectionFormat::Matrix),
        ",kitten,sitting,kitten,\"'=mitten, 2\"\nkitten,0,3,0,5\nsitting,3,0,3,6\nkitten,0,3,0,5\n\"'=mitten, 2\",5,6,5,0\n"
    );
    assert_eq!(
        own(CollectionFormat::Pairs),
        "a,b,a_name,b_name,distance,similarity\n0,1,kitten,sitting,3,0.571428\n0,2,kitten,kitten,0,1.000000\n0,3,kitten,\"'=mitten, 2\",5,0.500000\n\
         1,2,sitting,kitten,3,0.571428\n1,3,sitting,\"'=mitten, 2\",6,0.400000\n2,3,kitten,\"'=mitten, 2\",5,0.500000\n"
    );
    assert_eq!(own(CollectionFormat::Phylip), "4\nkitten 0 3 0 5\nsitting 3 0 3 6\nkitten_2 0 3 0 5\n=mitten__2 5 6 5 0\n");
    assert_eq!(own(CollectionFormat::Newick), "(((kitten:0,kitten_2:0):1.5,sitting:1.5):1,=mitten__2:2.5);\n");
    let npy = written(Task::EditDistance, WORDS, None, ALL, CollectionFormat::Npy).unwrap();
    assert!(npy.starts_with(b"\x93NUMPY\x01\x00\x76\x00{'descr': '<i4', 'fortran_order': False, 'shape': (4, 4), }"));
    assert_eq!((npy.len(), npy[127], npy[128 + 4]), (128 + 64, b'\n', 3));
    assert_eq!(text(Task::EditDistance, "one", None, ALL, CollectionFormat::Newick), "one;\n");
}

#[test]
fn hidden_names_are_numbers_in_every_format() {
    let own = |format| {
        let file = written_as(false, Task::EditDistance, "kitten\nsitting", Some("mitten"), ALL, format).unwrap();
        String::from_utf8(file).unwrap()
    };
    assert_eq!(own(CollectionFormat::Matrix), ",1\n1,1\n2,3\n");
    assert_eq!(own(CollectionFormat::Pairs), "a,b,a_name,b_name,distance,similarity\n0,0,1,1,1,0.833333\n1,0,2,1,3,0.571428\n");
    assert!(own(CollectionFormat::Json).contains(r#""names":["1","2"],"lengths":[6,7],"names_b":["1"]"#));
    for format in [CollectionFormat::Phylip, CollectionFormat::Newick] {
        let file = written_as(false, Task::EditDistance, "kitten\nsitting", None, ALL, format).unwrap();
        let file = String::from_utf8(file).unwrap();
        assert!(file.contains('1') && file.contains('2') && !file.contains("itt"), "{file}");
    }
}

#[test]
fn kept_pairs_are_written_by_their_members() {
    let within = KeptPairs::Within(3);
    assert_eq!(
        text(Task::EditDistance, WORDS, None, within, CollectionFormat::Pairs),
        "a,b,a_name,b_name,distance,similarity\n0,1,kitten,sitting,3,0.571428\n0,2,kitten,kitten,0,1.000000\n1,2,sitting,kitten,3,0.571428\n"
    );
    assert_eq!(
        text(Task::EditDistance, WORDS, None, within, CollectionFormat::Groups),
        "group,text,name\n0,0,kitten\n0,1,sitting\n0,2,kitten\n"
    );
    assert_eq!(
        text(Task::Lcs, "abc\nb", Some("bc\nx\nb"), KeptPairs::Nearest(1), CollectionFormat::Json),
        r#"{"task":"lcs","distinct":5,"names":["abc","b"],"lengths":[3,1],"names_b":["bc","x","b"],"lengths_b":[2,1,1],"pairs":[{"a":0,"b":0,"length":2,"similarity":0.8},{"a":1,"b":2,"length":1,"similarity":1.0}]}"#
    );
    assert_eq!(text(Task::SequenceAlignment, "abc\nb", None, ALL, CollectionFormat::Pairs), "a,b,a_name,b_name,score\n0,1,abc,b,-1\n");
}

#[test]
fn formats_that_do_not_fit_say_what_they_need() {
    let refused = |task, b, keep, format| written(task, WORDS, b, keep, format).unwrap_err();
    let scores = "has the scores of all pairs, and only some are kept. Keep all, or choose another format.";
    assert_eq!(refused(Task::Lcs, None, KeptPairs::Nearest(1), CollectionFormat::Npy), format!("The format npy {scores}"));
    assert_eq!(
        refused(Task::Lcs, Some("x"), ALL, CollectionFormat::Newick),
        "The format newick has the distances of one collection, and there are two. Choose another format."
    );
    assert_eq!(
        refused(Task::SequenceAlignment, None, ALL, CollectionFormat::Phylip),
        "The format phylip has distances, and sequence-alignment has none. edit-distance, lcs have them."
    );
    assert_eq!(
        refused(Task::Lcs, None, ALL, CollectionFormat::Groups),
        "Groups are those of the kept pairs of one collection. Compare one collection, and keep pairs by `keep.within`, `keep.similarity` or `keep.nearest`."
    );
    assert_eq!(
        written(Task::Lcs, &"a\n".repeat(5), None, ALL, CollectionFormat::Pairs).unwrap_err(),
        "The number of kept pairs is 10, and the limit here is 9."
    );
}
