//! German.

use super::Told;

pub(super) const TOLD: Told = Told {
    about: "Was dieser Server annimmt, wie lange er es behält, und was den Browser nie verlässt.",
    engines: "Rechenwerke dieses Servers",
    cells_are: "Texte von *m* und *n* Symbolen haben *m* × *n* Zellen, von denen ein Auftrag die füllt, auf die es ankommen kann: bei ähnlichen Texten einen kleinen Teil, wie eine Stichprobe von beiden zeigt. Der zählt hier, nicht ihre Länge. Die exakte Suche liest jedes Symbol einmal und zählt *m* + *n*. Was länger dauert, als ein Auftrag laufen darf, wird angehalten; was mehr als viermal so lange dauern würde, wird abgelehnt.",
    cells: "Gefüllte Zellen je Auftrag",
    processor: "Prozessor",
    gpu: "GPU",
    sizes: "Größen",
    up_to: "bis zu {size}",
    upload: "Ein hochgeladener Text",
    request: "Eine Anfrage samt ihren Texten",
    private_link: "Ein privater Link",
    link_of_texts: "Ein Link, der die Texte enthält",
    waiting: "Arbeit, die auf ein Rechenwerk wartet",
    running: "Laufzeit eines Auftrags",
    visitor_cells: "Gefüllte Zellen je Besucher und Stunde",
    visitor_sends: "Daten, die ein Besucher in einer Stunde schickt",
    visitor_stores: "Daten, die ein Besucher an einem Tag ablegt",
    kept: "Was wie lange behalten wird",
    kept_upload: "Ein hochgeladener Text",
    kept_result: "Das Ergebnis eines Auftrags",
    kept_link: "Ein gespeicherter oder privater Link",
    kept_link_for: "nach Wahl 1 Tag, 30 Tage oder bis er gelöscht wird",
    kept_typed: "Eingaben ohne Link und ohne Auftrag",
    kept_never: "werden nie gespeichert",
    secrets: "Kennungen sind zufällig und verraten nichts über die Texte. Texte stehen in keinem Protokoll. Ein privater Link wird im Browser verschlüsselt: Sein Schlüssel steht in dem Teil des Links, den Browser nicht senden; auch die Betreiber dieses Servers können ihn also nicht lesen.",
    own: "Eigene Grenzen",
    own_server: "Editscope ist ein einziges Programm, das sich auch selbst betreiben lässt; jede Grenze hier ist eine Einstellung. Alle stehen in seiner README. Was der Server zusagt, steht in der {docs}.",
    docs: "Dokumentation der API (englisch)",
};
