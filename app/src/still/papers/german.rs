//! German.

use super::Told;

pub(super) const TOLD: Told = Told {
    about: "Jedes Verfahren dieser Arbeiten läuft hier, wie es veröffentlicht wurde, Schritt für Schritt an einem kurzen Text. Neben den veröffentlichten Zahlen steht, was hier gemessen wurde.",
    asks: [
        "Wie schnell lässt sich ein Muster mit Fehlern auf einer GPU suchen, und lässt sich beweisen, dass es nicht schneller geht?",
        "Kann eine GPU die Teilfolge selbst liefern, nicht nur ihre Länge, und das in linearem Speicher?",
        "Lassen sich gleiche Symbole bei jeder Verschiebung in einem Datenstrom zählen, von vielen Prozessoren zugleich?",
        "Kann ein Modell mit zwei Arten von Speicher ein GPU-Programm bewerten, bevor es geschrieben ist?",
        "Gewinnt die exakte Suche nach Knuth, Morris und Pratt durch einen Thread für jedes Stück des Textes?",
    ],
    ideas: [
        "Der Text wird in *D* Scheiben geschnitten, die sich um 2*m* Symbole überlappen; *m* Threads füllen jede entlang ihrer Antidiagonalen, in drei Zeilen des gemeinsamen Speichers.",
        "Hirschbergs Rekursion teilt das Rechteck dort, wo die Zeilen von oben und von unten die größte Summe haben; Bitvektoren füllen die Zeilen.",
        "Zähler in Feldern von ⌈log₂(*m* + 1)⌉ Bits rücken mit jedem Symbol um ein Feld weiter; die parallele Form hat einen Bitstrom für jedes Symbol des Musters.",
        "Bänke des gemeinsamen Speichers bedienen verschiedene Adressen, der globale Speicher benachbarte; jede Runde von Anfragen wird in Zeiteinheiten gezählt.",
        "Eine Tabelle sagt, wie viel vom Muster nach einem Unterschied sicher passt; jeder Thread liest sein Stück und eine Musterlänge über dessen Ende hinaus.",
    ],
    watch: [
        "Die Scheiben ansehen",
        "Hirschberg ansehen",
        "Shift-Add ansehen",
        "Bänke und Gruppen ansehen",
        "Knuth, Morris und Pratt ansehen",
    ],
    no_times: "Die Arbeit enthält keine Tabelle mit Zeiten.",
    whole: "Ganz öffnen",
    searches: "Approximative Suche: Zeiten beider Arbeiten",
    searches_note: "Millisekunden für einen Text aus *n* = 4.194.304 zufälligen Symbolen 0 und 1. Von den veröffentlichten Zeiten steht hier die beste, mit ihrer Zahl *D* von Blöcken. Das Maschinenmodell hat einen einzigen Faktor für alle veröffentlichten Zeiten. Unsere Zeiten sind Mediane, mit dem Text im Speicher.",
    subsequences: "Längste gemeinsame Teilfolge: Zeiten der Arbeit",
    subsequences_note: "Sekunden für zwei unverwandte Texte von so vielen Megabytes, samt der Teilfolge selbst. Unsere Zeiten sind Mediane für Texte aus ebenso vielen zufälligen Buchstaben.",
    published: "Veröffentlicht",
    model: "Maschinenmodell",
    method: "Dieses Verfahren hier",
    ours: "Unseres",
    speed_up: "Beschleunigung",
    core: "ein Kern",
    chart: "Was das Modell vorhersagt und was die Uhr sagte",
    chart_says: "Das Maschinenmodell bewertet jede der {n} veröffentlichten Zeiten. Wäre es exakt, läge jeder Punkt auf der Geraden; keiner ist weiter von ihr entfernt als {share}.",
    chart_note: "Beide Achsen sind logarithmisch. Die GeForce GTX 580 wird als 16 Multiprozessoren mit Warps von 32 Threads betrachtet, die je höchstens 8 Blöcke und 1.536 Threads halten, mit einer Latenz von 16 Zeiteinheiten für gemeinsamen und 400 für globalen Speicher. Die Formel der Arbeiten lässt die Grenze der Blöcke weg und verspricht von vielen kurzen Blöcken zu viel.",
    here: "Was das Modell von einer H200 vorhersagt und was gemessen wurde",
    here_says: "Die gestrichelten Linien sagt die Formel mit w, d, l und L, wie sie am Gerät gemessen wurden; die Punkte sind gemessene Zeiten. Bis D = 128, wo jeder Block einen eigenen Multiprozessor hat, ist jede Zeit das {near}-Fache der Vorhersage: Die Form stimmt, und ein Faktor fehlt. Wo sich mehrere Blöcke einen Multiprozessor teilen, ist es das {far}-Fache.",
    here_note: "Beide Achsen sind logarithmisch. Der Text hat 4M Symbole; *D* ist die Zahl der Blöcke, *m* die Länge des Musters. Die Formel zählt Speicherzugriffe und deren Latenz, aber keine der Anweisungen dazwischen.",
    time_units: "Zeiteinheiten, die das Modell zählt",
    as_predicted: "wie vorhergesagt",
};
