//! The page that compares many texts ([`CollectionPage`]).

use std::ops::Deref;

use explain::collection::CollectionFormat;
use explain::worker_protocol::RequestKind;
use explain::worker_protocol::collection::CollectionAsk;
use kernels::cbor::to_bytes;
use kernels::collection::Collection;
use kernels::job::JobOptions;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::collection_files::read_all;
use super::form_page::{FormAddress, FormPage, PageForm};
use crate::backend::deflate;
use crate::backend::files::{self, archive::PathFile};
use crate::backend::handed_files;
use crate::model::collection::answer::ComparedTexts;
use crate::model::collection::choices::CollectionView;
use crate::model::collection::form::CollectionForm;
use crate::model::collection::member_edits::MemberEdits;
use crate::model::collection::opened::{OpenedTexts, replaced_says};
use crate::model::collection::session::{SessionInput, replaces_new_texts};
use crate::model::collection::sources::TextSide;
use crate::model::collection::{link, patterns};
use crate::model::form::{FormSide, FormState, FormText};
use crate::model::link::fragment::{self, FragmentError};
use crate::model::link::link_view::LinkView;
use crate::model::problem::Problem;
use crate::model::text::humanize::grouped;
use crate::tr;
use crate::tr::t;

/// A handle to the page that compares many texts. It extends [`FormPage`]. All copies share one state.
#[derive(Clone, Copy, Debug)]
pub struct CollectionPage {
    page: FormPage<CollectionForm>,
    /// Sentences about files that were not read and edits that were refused, with their side.
    pub unread: RwSignal<Vec<(FormSide, String)>>,
    /// Sides whose files are being opened.
    pub opening: RwSignal<Vec<FormSide>>,
    /// The second collection, while it is not compared, and whether it came from a private link.
    spare: StoredValue<(TextSide, bool)>,
}

impl Deref for CollectionPage {
    type Target = FormPage<CollectionForm>;

    fn deref(&self) -> &FormPage<CollectionForm> {
        &self.page
    }
}

impl PageForm for CollectionForm {
    const REQUESTS: RequestKind = RequestKind::Collection;
    const FILE_NAME: &'static str = "collection";

    fn request(&self, max_cells: u64) -> Result<[Vec<u8>; 2], Problem> {
        let (request, texts) = self.request(max_cells);
        Ok([to_bytes(&CollectionAsk::Compare(request)), texts])
    }

    fn decode(self, reply: &[u8]) -> Option<ComparedTexts> {
        ComparedTexts::decode(self, reply)
    }

    fn export(format: CollectionFormat, view: &CollectionView) -> Vec<u8> {
        to_bytes(&CollectionAsk::export(format, view.has_names))
    }

    fn is_address(fragment: &str) -> bool {
        patterns::link::search_task(fragment).is_none()
    }

    fn read(fragment: &str) -> Result<FormAddress<Self>, FragmentError> {
        let link = link::read(fragment)?;
        Ok(FormAddress {
            form: link.form.clone(),
            view: link.view.clone(),
            packed: link.packed.clone(),
            has_no_texts: link.form.is_blank(),
            fill: Box::new(|sources| link.form_with(sources)),
        })
    }

    fn write(&self, packed: Option<&str>, view: &CollectionView) -> String {
        link::write(self, packed, view)
    }

    fn write_without_texts(&self, view: &CollectionView) -> String {
        link::write_without_texts(self, view)
    }

    fn needs_deflating(&self) -> bool {
        link::needs_deflating(self)
    }
}

impl CollectionPage {
    pub fn new() -> Self {
        Self { page: FormPage::new(), unread: RwSignal::default(), opening: RwSignal::default(), spare: StoredValue::default() }
    }

    /// Compares two collections, or all pairs of the first one. The second one is kept for a later comparison.
    pub fn compare_two(self, is_two: bool) {
        self.edit(|form| match (&form.b, is_two) {
            (None, true) => {
                let (spare, was_private) = self.spare.get_value();
                form.b = Some(if was_private && !self.is_private() { TextSide::default() } else { spare });
            }
            (Some(b), false) => {
                self.spare.set_value((b.clone(), self.is_private()));
                form.b = None;
            }
            (None, false) | (Some(_), true) => {}
        });
    }

    /// Converts the files that the comparison cannot read.
    pub fn convert(self) {
        let mut form = self.form.get_untracked();
        let says = form.convert(files::decode);
        self.unread.update(|all| all.extend(says));
        self.handle_input(SessionInput::Edited(form));
    }

    /// Renames a text of a side or leaves it out, unless there are too many texts.
    pub fn edit_members(self, side: FormSide, change: impl FnOnce(&mut MemberEdits)) {
        if self.form.with_untracked(|form| form.side(side).is_some_and(TextSide::has_too_many_parts)) {
            let limit = grouped(Collection::MAX_SOURCES as u64);
            self.say_unread(side, vec![tr!("Texts can be renamed and left out only if there are at most {n}.", n = limit)]);
        } else {
            self.edit(|form| form.side_mut(side).edit_members(change));
        }
    }

    /// Replaces the sentences about the files of a side.
    fn say_unread(self, side: FormSide, sentences: Vec<String>) {
        self.unread.update(|all| {
            all.retain(|(other, _)| *other != side);
            all.extend(sentences.into_iter().map(|says| (side, says)));
        });
    }

    /// Opens the address, or the files that another page of this site has handed over.
    pub fn begin(self) {
        let fragment = window().location().hash().unwrap_or_default();
        let fragment = fragment.trim_start_matches('#');
        self.page.begin();
        if let Some((key, rest)) = link::handed(fragment) {
            let (key, rest) = (key.to_owned(), rest.to_owned());
            let wanted = key.clone();
            let files = async move {
                let files = handed_files::find(&wanted).await;
                if files.is_empty() {
                    self.say_unread(FormSide::A, vec![t("The files of the other page are no longer there. Open them here.").into()]);
                }
                files
            };
            self.read_files(FormSide::A, files, true, move |form| {
                if self.form.with_untracked(|form| form.a.is_blank()) {
                    // The files exist once, so that a reload must not ask for them again.
                    self.page.replace_fragment(&rest);
                    self.page.open_form(form);
                } else {
                    // Texts that came meanwhile keep their entry of the history.
                    self.page.edit_by_files(form);
                }
                spawn_local(async move { handed_files::remove(&key).await });
            });
        }
    }

    /// Opens files as the texts of a side. Further files are added to files that are there.
    pub fn open_files(self, side: FormSide, files: impl Future<Output = Vec<PathFile>> + 'static) {
        self.read_files(side, files, false, move |form| self.page.edit_by_files(form));
    }

    /// Reads files as the texts of a side, and calls `open` with the form that has them. If `is_alone`, they are not added to files
    /// that are there. Says so if they replace texts that came while they were read.
    fn read_files(
        self,
        side: FormSide,
        files: impl Future<Output = Vec<PathFile>> + 'static,
        is_alone: bool,
        open: impl FnOnce(CollectionForm) + 'static,
    ) {
        self.opening.update(|sides| sides.push(side));
        let at_start = self.form.get_untracked();
        spawn_local(async move {
            let read = read_all(files.await).await;
            // Handed files that are gone have a message already.
            if self.opening.try_update(|sides| sides.retain(|other| *other != side)).is_none() || is_alone && read.is_empty() {
                return;
            }
            let own = self.form.with_untracked(|form| form.side(side).cloned()).unwrap_or_default();
            let before: Vec<_> = own.sources.into_iter().filter(|source| !is_alone && !source.name.is_empty()).collect();
            let OpenedTexts { sources, mut unread } = OpenedTexts::new(before.clone(), read);
            let mut next = self.form.get_untracked();
            let has_texts = sources != before;
            if has_texts {
                next.open(side, sources);
            }
            if self.form.with_untracked(|now| replaces_new_texts(&at_start, now, &next)) {
                unread.push(replaced_says());
            }
            self.say_unread(side, unread);
            if has_texts {
                open(next);
            }
        });
    }

    /// Opens files as the template. Files that cannot be read are listed below the first side.
    pub fn open_template(self, files: Vec<PathFile>) {
        spawn_local(async move {
            let OpenedTexts { sources, unread } = OpenedTexts::new(Vec::new(), read_all(files).await);
            self.unread.try_set(unread.into_iter().map(|says| (FormSide::A, says)).collect());
            if !sources.is_empty() {
                self.edit(|form| form.template = sources);
            }
        });
    }

    /// Returns the address of the two-text page with two texts of the answer, the text given first as *a*. Returns `None` if the texts are too long for
    /// an address, or from a private link.
    pub async fn pair_address(self, texts: &ComparedTexts, a: usize, b: usize) -> Option<String> {
        if self.is_private() {
            return None;
        }
        let mut form = FormState::new(texts.form.measure.task());
        form.options = JobOptions { alignment: true, ..texts.form.job_options() };
        let (a, b) = (a.min(b), a.max(b));
        (form.a, form.b) = (FormText::typed(texts.text(a)?), FormText::typed(texts.text(b)?));
        let packed = match fragment::to_deflate(&form) {
            Some(texts) => Some(deflate::pack(texts).await),
            None => None,
        };
        fragment::address(&form, &LinkView::default(), packed.as_ref())
    }
}
