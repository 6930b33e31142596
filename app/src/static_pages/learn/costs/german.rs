//! German texts of the lesson about costs.

use super::{CostsTexts, ModelTexts};

pub(super) const TOLD: CostsTexts = CostsTexts {
    title: "Dieselben zwei Wörter, fünf Kosten",
    about: "Fünf Arten zu zählen, was zwei Wörter gemeinsam haben. Sieh zu, wie sich Summe und Spalten ändern, obwohl die Wörter gleich bleiben.",
    words: "Die Wörter sind *{a}* und *{b}*.",
    models: [
        ModelTexts {
            title: "Levenshtein: Jede Änderung zählt 1",
            text: "Ein Buchstabe wird ersetzt, eingefügt oder gelöscht. Jede Änderung zählt 1, und die kleinste Summe gewinnt.",
        },
        ModelTexts {
            title: "Indel: Eine Ersetzung zählt 2",
            text: "Eine Ersetzung zählt so viel wie das Löschen eines Buchstabens und das Einfügen eines anderen. Also entscheiden nur die Buchstaben, die bleiben: Die Summe folgt aus einer längsten gemeinsamen Teilfolge.",
        },
        ModelTexts {
            title: "Damerau–Levenshtein: Eine Vertauschung zählt 1",
            text: "Wer tippt, vertauscht oft zwei Nachbarn. Hier ist eine solche Vertauschung eine Änderung. Andere Änderungen dürfen die beiden Buchstaben nicht noch einmal betreffen (Optimal String Alignment).",
        },
        ModelTexts {
            title: "Needleman–Wunsch: Punkte für Gleiches",
            text: "Gleiche Buchstaben bringen 1 Punkt. Verschiedene kosten 1, und ein Buchstabe ohne Partner kostet 1. Die größte Summe gewinnt. Sie wächst mit der Länge der Wörter und sagt darum ohne die Längen wenig.",
        },
        ModelTexts {
            title: "Smith–Waterman: die besten Stücke",
            text: "Gleiche Buchstaben bringen 3 Punkte, verschiedene kosten 3, und ein Buchstabe ohne Partner kostet 2. Das Alignment darf überall beginnen und enden: Buchstaben außerhalb der besten Stücke kosten nichts.",
        },
    ],
    sum: "Summe: {sum}.",
    points: "Punkte: {points}.",
    pieces: "Buchstaben {a1} bis {a2} von *a*, Buchstaben {b1} bis {b2} von *b*.",
    nothing: "Kein Stück bringt einen Punkt.",
    same: "Die Spalten sind dieselben wie bei Levenshtein. Nur ihre Kosten sind andere.",
    other: "Die Spalten sind andere als bei Levenshtein.",
    open: "Auf der Seite öffnen",
    own_note: "Zwei kurze Texte: *a* mit bis zu {a} Zeichen, *b* mit bis zu {b}. Sie stehen im Link.",
    back: "Die Lektion mit fünf Stationen",
};
