//! English.

use super::Told;

pub(super) const TOLD: Told = Told {
    about: "What this server takes, how long it keeps it, and what never leaves your browser.",
    engines: "Engines of this server",
    cells_are: "Texts with *m* and *n* symbols have *m* × *n* cells, of which a job fills those that can matter: of similar texts a small part, as a look at a sample of both tells. That counts here, and not their length. Exact search reads each symbol once, and counts *m* + *n*. What takes longer than a job may run is stopped; what would take more than four times as long is refused.",
    cells: "Cells that one job fills",
    processor: "processor",
    gpu: "GPU",
    sizes: "Sizes",
    up_to: "up to {size}",
    upload: "A text that is uploaded",
    request: "A request with its texts in it",
    private_link: "A private link",
    link_of_texts: "A link with the texts in it",
    waiting: "Work that waits for an engine",
    running: "One job runs",
    visitor_cells: "Cells that one visitor's jobs fill in an hour",
    visitor_sends: "What one visitor sends in an hour",
    visitor_stores: "What one visitor has stored in a day",
    kept: "What is kept, and how long",
    kept_upload: "An upload",
    kept_result: "The result of a job",
    kept_link: "A stored or private link",
    kept_link_for: "1 day, 30 days, or until you delete it: you choose",
    kept_typed: "What you type without making a link or a job",
    kept_never: "never stored",
    secrets: "Ids are random and say nothing about your texts. Texts are not written to the log. A private link is encrypted in your browser: its key is in the part of the link that browsers do not send, so that whoever runs this server cannot read it.",
    own: "Your own limits",
    own_server: "Editscope is one program that you can run yourself; every limit here is one of its settings, which its README lists. What it promises is in {docs}.",
    docs: "the documentation of the API",
};
