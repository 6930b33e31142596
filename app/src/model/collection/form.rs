//! The form of a collection: its texts and the options of the comparison ([`CollectionForm`]).

use explain::worker_protocol::collection::{CollectionRequest, SourceInfo};
use kernels::collection::MemberSplit;
use kernels::job::{EditCosts, JobOptions, Scoring, Unit};

use super::measure::Measure;
use super::opened::{EncodingCheck, FileDecoder, convert, convert_side, is_marked_or_utf8, is_utf8};
use super::sources::{TextSide, TextSource, is_prose};
use crate::model::form::FormSide;
use crate::model::points::set_scoring;

/// The texts of one or two collections and the options of their comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionForm {
    pub a: TextSide,
    /// The second collection. `None` if all pairs of the first one are compared.
    pub b: Option<TextSide>,
    /// Texts whose lines and words do not count, such as a starter file.
    pub template: Vec<TextSource>,
    pub measure: Measure,
    /// Unit, differences to ignore, and the costs and points of all measures.
    pub options: JobOptions,
}

impl Default for CollectionForm {
    fn default() -> Self {
        Self {
            a: TextSide::default(),
            b: None,
            template: Vec::new(),
            measure: Measure::Similarity,
            options: JobOptions { unit: Unit::Graphemes, alignment: false, ..JobOptions::default() },
        }
    }
}

impl CollectionForm {
    /// Returns the sides with their texts.
    pub fn sides(&self) -> impl Iterator<Item = &TextSide> {
        std::iter::once(&self.a).chain(&self.b)
    }

    /// Returns a side. Returns `None` for the second one of a single collection.
    pub fn side(&self, side: FormSide) -> Option<&TextSide> {
        match side {
            FormSide::A => Some(&self.a),
            FormSide::B => self.b.as_ref(),
        }
    }

    /// Returns a side to change. A missing second side is added.
    pub fn side_mut(&mut self, side: FormSide) -> &mut TextSide {
        match side {
            FormSide::A => &mut self.a,
            FormSide::B => self.b.get_or_insert_default(),
        }
    }

    /// Iterates over the sources of both sides, and those of the template.
    pub fn sources(&self) -> impl Iterator<Item = &TextSource> {
        self.sides().flat_map(|side| &side.sources).chain(&self.template)
    }

    /// Returns whether there are no texts.
    pub fn is_blank(&self) -> bool {
        self.sides().all(TextSide::is_blank)
    }

    /// Returns whether all sides have texts, so that they can be compared.
    pub fn is_complete(&self) -> bool {
        !self.sides().any(TextSide::is_blank)
    }

    /// Replaces the texts of a side by opened files. Several files are compared by words if they are prose.
    pub fn open(&mut self, side: FormSide, files: Vec<TextSource>) {
        if let [first, _, ..] = &files[..] {
            self.options.unit = if is_prose(&first.bytes) { Unit::Words } else { Unit::Graphemes };
        }
        self.side_mut(side).open(files);
        // Records have letters and no words.
        if self.side(side).is_some_and(|side| side.split == MemberSplit::Records) {
            self.options.unit = Unit::Graphemes;
        }
    }

    /// Decodes the texts that are neither UTF-8 nor UTF-16 by `decode`. With a template, it decodes those in UTF-16 as well. Returns a
    /// sentence about each, with its side.
    pub fn convert(&mut self, decode: FileDecoder) -> Vec<(FormSide, String)> {
        let readable: EncodingCheck = if self.template.is_empty() { is_marked_or_utf8 } else { is_utf8 };
        let a = [convert_side(&mut self.a, readable, decode), convert(&mut self.template, readable, decode)].concat();
        let b = self.b.as_mut().map(|b| convert_side(b, readable, decode)).unwrap_or_default();
        let of = |side: FormSide, says: Vec<String>| says.into_iter().map(move |says| (side, says));
        of(FormSide::A, a).chain(of(FormSide::B, b)).collect()
    }

    /// Returns the options of the comparison, without costs and points of other measures.
    pub fn job_options(&self) -> JobOptions {
        let mut options = self.options.clone();
        match self.measure {
            Measure::Similarity | Measure::Edits => set_scoring(&mut options, Scoring::DEFAULT),
            Measure::LcsRatio => {
                options.costs = EditCosts::LEVENSHTEIN;
                set_scoring(&mut options, Scoring::DEFAULT);
            }
            Measure::Points => options.costs = EditCosts::LEVENSHTEIN,
        }
        options
    }

    /// Creates the request to compare the texts, with at most `max_cells` cells. Returns the request and the bytes of all
    /// texts.
    pub fn request(&self, max_cells: u64) -> (CollectionRequest, Vec<u8>) {
        let mut bytes = Vec::new();
        let mut info = |side: &TextSide| {
            let texts = side.texts();
            texts.iter().for_each(|text| bytes.extend_from_slice(&text.bytes));
            side.info(&texts)
        };
        let (a, b) = (info(&self.a), self.b.as_ref().map(&mut info));
        let template =
            self.template.iter().map(|text| SourceInfo { name: text.name.to_string(), bytes: text.bytes.len() as u64 }).collect();
        self.template.iter().for_each(|text| bytes.extend_from_slice(&text.bytes));
        (CollectionRequest { task: self.measure.task(), options: self.job_options(), max_cells, a, b, template }, bytes)
    }

    /// Returns whether the scores for `other` differ from those for this form. Edits and similarity have the same scores.
    pub fn needs_other_scores(&self, other: &Self) -> bool {
        let texts = |form: &Self| (form.a.clone(), form.b.clone(), form.template.clone());
        self.measure.task() != other.measure.task() || self.job_options() != other.job_options() || texts(self) != texts(other)
    }
}

#[cfg(test)]
mod tests {
    use explain::collection::template::TextTemplate;
    use kernels::collection::{AnswerLimits, Collection, CollectionQuestion, CollectionSide, KeptPairs, SideSources};
    use kernels::cpu::Cpu;
    use kernels::job::Task;
    use kernels::run::{NoObserver, Run};

    use super::super::table::ColumnChoice;
    use super::*;
    use crate::model::form::replacement::Charset;
    use crate::model::points::PointsPreset;

    fn file(name: &str, text: &str) -> TextSource {
        TextSource::file(name, text.as_bytes())
    }

    #[test]
    fn typed_text_is_restored_and_a_file_with_carriage_returns_is_not_edited() {
        let mut form = CollectionForm::default();
        assert!(form.is_blank() && form.a.typed() == Some(""));
        form.a.retype("a\nb");
        assert_eq!((form.a.typed(), form.a.split, form.is_blank()), (Some("a\nb"), MemberSplit::Lines, false));
        form.open(FormSide::A, vec![file("x.txt", "a\r\nb")]);
        assert_eq!((form.a.typed(), form.a.split), (None, MemberSplit::Lines));
        form.a.retype("");
        assert!(form.is_blank());
    }

    #[test]
    fn opened_files_choose_division_and_unit() {
        let mut form = CollectionForm::default();
        form.open(FormSide::A, vec![file("x.fasta", ">a\nAC\n>b\nGT\n")]);
        assert_eq!((form.a.split, form.options.unit, form.a.typed()), (MemberSplit::Records, Unit::Graphemes, Some(">a\nAC\n>b\nGT\n")));
        let prose = "The council wants to know what we think about closing the High Street to cars, so here is my opinion. ".repeat(2);
        form.open(FormSide::A, vec![file("a.txt", &prose), file("b.txt", "x")]);
        assert_eq!((form.a.split, form.options.unit, form.a.typed()), (MemberSplit::Files, Unit::Words, None));
        form.a.retype("line");
        assert_eq!(form.a.split, MemberSplit::Lines);
        let before = form.clone();
        form.open(FormSide::A, Vec::new());
        assert_eq!(form, before);
    }

    #[test]
    fn texts_in_utf_16_are_converted_if_there_is_a_template() {
        let utf16 = |name: &str, text: &str| {
            let bytes: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
            TextSource::file(name, &bytes)
        };
        let decode: FileDecoder = |bytes| {
            let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
            Some((String::from_utf16(&units).ok()?, Charset::detect(bytes)))
        };
        let mut form = CollectionForm::default();
        form.open(FormSide::A, vec![utf16("a.txt", "pass"), file("b.txt", "kitten")]);
        let before = form.clone();
        assert_eq!((form.convert(decode), &form), (Vec::new(), &before));
        form.template = vec![utf16("starter.txt", "pass")];
        let says: Vec<_> = form.convert(decode).into_iter().map(|(side, says)| (side.name(), says)).collect();
        assert_eq!(says, [("a", "a.txt was read as UTF-16.".to_owned()), ("a", "starter.txt was read as UTF-16.".to_owned())]);
        assert_eq!((&form.a.sources[0], &form.template), (&file("a.txt", "pass"), &vec![file("starter.txt", "pass")]));
        let sources = form.request(1).0;
        assert_eq!((sources.a.sources.len(), sources.template.len()), (2, 1));
    }

    #[test]
    fn request_has_the_names_and_sizes_of_all_sources() {
        let mut form = CollectionForm { measure: Measure::LcsRatio, ..CollectionForm::default() };
        form.open(FormSide::A, vec![file("a.txt", "one"), file("", "two!")]);
        let (request, bytes) = form.request(7);
        assert_eq!(bytes, b"onetwo!");
        assert_eq!((request.task, request.max_cells, request.options.alignment), (Task::Lcs, 7, false));
        let sources: Vec<_> = request.a.sources.iter().map(|source| (source.name.as_str(), source.bytes)).collect();
        assert_eq!(sources, [("a.txt", 3), ("text 2", 4)]);
    }

    #[test]
    fn table_has_its_texts_in_a_column() {
        let mut form = CollectionForm::default();
        form.open(FormSide::A, vec![file("answers.csv", "name,answer\nMia,the cat sat\nTom,\"the cat, sat\"\n")]);
        let (request, bytes) = form.request(1);
        let sources: Vec<_> = request.a.sources.iter().map(|source| (source.name.as_str(), source.bytes)).collect();
        assert_eq!(
            (request.a.split, sources, &bytes[..]),
            (MemberSplit::Files, vec![("Mia", 11), ("Tom", 12)], &b"the cat satthe cat, sat"[..])
        );
        form.a.column = None;
        assert_eq!((form.request(1).0.a.split, form.a.texts().len()), (MemberSplit::Lines, 1));
        form.open(FormSide::A, vec![file("lines.txt", "a,b\nc,d")]);
        assert_eq!(form.a.column, None);
    }

    #[test]
    fn edited_lines_have_the_scores_of_lines() {
        let mut form = CollectionForm::default();
        form.a.retype(">ab\n\nkitten\n>abc");
        let whole = scores(&form);
        form.a.edit_members(|edits| edits.rename(2, "Mia"));
        assert_eq!(scores(&form), whole);
        let (request, bytes) = form.request(1);
        let names: Vec<_> = request.a.sources.iter().map(|source| source.name.as_str()).collect();
        assert_eq!((names, &bytes[..], request.a.split), (vec![">ab", "", "Mia", ">abc"], &b">abkitten>abc"[..], MemberSplit::Plain));
        form.a.edit_members(|edits| edits.leave_out(3, true));
        let without: Vec<i32> = (0..3).flat_map(|row| whole[4 * row..4 * row + 3].to_vec()).collect();
        assert_eq!(scores(&form), without);
    }

    #[test]
    fn edited_lines_have_the_same_scores_with_a_template() {
        let mut form = CollectionForm { template: vec![file("starter.txt", "one two three four five six")], ..CollectionForm::default() };
        form.a.retype("one two three\nfour five six\nx one two three four five six");
        let whole = scores(&form);
        assert!(whole[1] > 0, "words of the template were removed across a line end");
        form.a.edit_members(|edits| edits.rename(0, "Mia"));
        assert_eq!(scores(&form), whole);
    }

    #[test]
    fn edited_lines_are_compared_with_records() {
        let mut form = CollectionForm::default();
        form.a.retype("acgt\n\nACGT");
        form.open(FormSide::B, vec![file("x.fasta", ">a\nACGT\n>b\nGT\n")]);
        let whole = scores(&form);
        form.a.edit_members(|edits| edits.rename(0, "BC1"));
        assert_eq!(scores(&form), whole);
        let collection = parsed(&form);
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let names = |side: &CollectionSide| side.members().iter().map(|member| member.name.clone()).collect::<Vec<_>>();
        assert_eq!((names(collection.a()), names(collection.columns())), (own(&["BC1", "", "ACGT"]), own(&["a", "b"])));
        // Letters beside a file of one record would be read as a file.
        form.open(FormSide::B, vec![file("x.fasta", ">a\nACGT\n"), file("y.fasta", ">b\nGT\n")]);
        let edited = scores(&form);
        form.a.edit_members(|edits| edits.rename(0, ""));
        assert_eq!(scores(&form), edited);
    }

    #[test]
    fn cells_of_a_column_have_the_same_scores_with_other_names() {
        let mut form = CollectionForm::default();
        form.open(FormSide::A, vec![file("codes.csv", "name,code\nx,\">a\nACGT\"\ny,acgt\n")]);
        form.a.column = Some(ColumnChoice { text: 1, name: Some(0), has_headings: true });
        let whole = scores(&form);
        form.a.edit_members(|edits| edits.rename(0, "BC1"));
        assert_eq!(scores(&form), whole);
    }

    /// Reads the texts of a request as the solver does.
    fn parsed(form: &CollectionForm) -> Collection {
        let (request, bytes) = form.request(1);
        let texts = request.texts_of(&bytes).unwrap();
        let template = TextTemplate::of_sources(&texts.template, request.options.unit).unwrap();
        let rest = |side: SideSources| if texts.template.is_empty() { side } else { template.remove_from_side(side).unwrap() };
        Collection::parse(rest(texts.a), texts.b.map(rest), &request.options.reading()).unwrap()
    }

    /// Compares the texts of a request as the solver does. Returns the scores of all members.
    fn scores(form: &CollectionForm) -> Vec<i32> {
        let (request, collection) = (form.request(1).0, parsed(form));
        let question = CollectionQuestion::new(request.task, &request.options, KeptPairs::All, &collection).unwrap();
        let limits = AnswerLimits { max_scores: 100, max_pairs: 0 };
        let answer = question.solve(&collection, &limits, &Cpu::SINGLE, &Run::new(&NoObserver)).unwrap();
        let [rows, columns] = [collection.a(), collection.columns()].map(|side| side.members().len());
        (0..rows).flat_map(|a| (0..columns).map(|b| answer.score(&collection, a, b).unwrap()).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn template_follows_the_texts() {
        let mut form = CollectionForm::default();
        form.open(FormSide::A, vec![file("a.txt", "one"), file("b.txt", "two")]);
        form.template = vec![file("starter.txt", "three")];
        let (request, bytes) = form.request(1);
        assert_eq!((&bytes[..], request.template.len(), request.template[0].bytes), (&b"onetwothree"[..], 1, 5));
        assert!(form.needs_other_scores(&CollectionForm { template: Vec::new(), ..form.clone() }));
    }

    #[test]
    fn second_side_is_added_and_both_must_have_texts() {
        let mut form = CollectionForm::default();
        form.a.retype("a");
        assert!(form.is_complete() && form.side(FormSide::B).is_none());
        form.side_mut(FormSide::B);
        assert!(!form.is_complete() && !form.is_blank());
        form.open(FormSide::B, vec![file("x.fasta", ">a\nAC\n>b\nGT\n")]);
        assert!(form.is_complete() && form.sources().count() == 2);
        let (request, _) = form.request(1);
        assert_eq!((request.a.split, request.b.unwrap().split), (MemberSplit::Lines, MemberSplit::Records));
    }

    #[test]
    fn edits_and_similarity_have_the_same_scores() {
        let form = CollectionForm::default();
        let edits = CollectionForm { measure: Measure::Edits, ..form.clone() };
        assert!(!form.needs_other_scores(&edits) && !form.needs_other_scores(&form));
        assert!(form.needs_other_scores(&CollectionForm { measure: Measure::LcsRatio, ..form.clone() }));
        assert!(
            form.needs_other_scores(&CollectionForm { options: JobOptions { unit: Unit::Words, ..form.options.clone() }, ..form.clone() })
        );
    }

    #[test]
    fn costs_and_points_belong_to_their_measures() {
        let mut form = CollectionForm::default();
        form.options.costs = EditCosts::OSA;
        set_scoring(&mut form.options, PointsPreset::Blosum62.scoring());
        let of = |measure| CollectionForm { measure, ..form.clone() }.job_options();
        assert_eq!((of(Measure::Edits).costs, of(Measure::Edits).scoring()), (EditCosts::OSA, Scoring::DEFAULT));
        assert_eq!((of(Measure::LcsRatio).costs, of(Measure::LcsRatio).scoring()), (EditCosts::LEVENSHTEIN, Scoring::DEFAULT));
        assert_eq!(of(Measure::Points).scoring(), PointsPreset::Blosum62.scoring());
        for measure in Measure::ALL {
            assert_eq!(of(measure).check(measure.task()), Ok(()));
        }
        let other_points = CollectionForm { options: CollectionForm::default().options, ..form.clone() };
        let points = |form: &CollectionForm| CollectionForm { measure: Measure::Points, ..form.clone() };
        assert!(points(&form).needs_other_scores(&points(&other_points)) && form.needs_other_scores(&other_points));
        form.options.costs = EditCosts::LEVENSHTEIN;
        assert!(!form.needs_other_scores(&other_points));
    }
}
