//! German texts of the lesson page.

use super::{LearnTexts, LessonStation};

pub(super) const TOLD: LearnTexts = LearnTexts {
    about: "Fünf Stationen von der Matrix bis zur GPU. An jeder gibt es ein Verfahren zum Ansehen und eine Frage; die Antworten bleiben im Link.",
    stations: [
        LessonStation {
            title: "Die Matrix",
            text: "*D*[*i*, *j*] ist die kleinste Zahl von Änderungen, die aus den ersten *i* Symbolen von *a* die ersten *j* von *b* machen. Eine Zelle braucht drei andere: darüber, links und in der Ecke. Die letzte Zelle ist die Antwort.",
            asks: "Wie viele Änderungen machen {a} zu {b}?",
            hint: "Sehen Sie die letzte Zelle der Matrix an, rechts unten.",
            why: "Es ist der letzte Wert der Matrix von {a} und {b}.",
        },
        LessonStation {
            title: "Ihre Diagonalen",
            text: "Zellen einer Antidiagonale brauchen einander nicht. Sie lassen sich also alle zugleich füllen, danach die nächste Diagonale: Viele Threads haben auf einmal Arbeit.",
            asks: "Eine Matrix mit {m} Zeilen und {n} Spalten, ohne ihre Ränder, wird Diagonale für Diagonale gefüllt. Wie viele Schritte sind das?",
            hint: "Jede Antidiagonale beginnt in der ersten Zeile oder in der letzten Spalte. Zählen Sie diese Zellen, die Ecke einmal.",
            why: "Es gibt {m} + {n} − 1 Antidiagonalen.",
        },
        LessonStation {
            title: "Bitwörter",
            text: "Nachbarn in einer Spalte unterscheiden sich höchstens um eins; ein oder zwei Bits genügen für jeden. Ein Maschinenwort fasst so viele Zeilen, wie es Bits hat, und eine Addition trägt ihren Übertrag durch alle hinab.",
            asks: "Eine Spalte von {m} Zeilen steht in Wörtern von {w} Bits. Wie viele Wörter werden für {n} Spalten berechnet?",
            hint: "Finden Sie, wie viele Wörter eine Spalte ist: Auch ein Wort, das nicht voll ist, zählt. Jede Spalte braucht so viele.",
            why: "Eine Spalte ist {words} Wörter, und es sind {n} Spalten.",
        },
        LessonStation {
            title: "Scheiben des Textes",
            text: "Ein Text wird in Scheiben geschnitten, eine für jeden Block von Threads. An keinem Rand darf ein Treffer verloren gehen. Ein Treffer mit höchstens der Distanz *m* ist höchstens doppelt so lang wie sein Muster von *m* Symbolen.",
            asks: "Um wie viele Symbole überlappen sich Scheiben bei einem Muster von {m} Symbolen?",
            hint: "Ein Treffer kann mit dem letzten Symbol einer Scheibe beginnen. Zählen Sie also, wie lang ein Treffer sein kann.",
            why: "Ein Treffer hat höchstens 2 · {m} Symbole.",
        },
        LessonStation {
            title: "Warum eine GPU",
            text: "Die Threads eines Warps fragen zugleich nach Speicher. Gemeinsamer Speicher hat Bänke: Adressen in verschiedenen Bänken werden zusammen beantwortet, solche in einer Bank nacheinander, gleiche Adressen nur einmal. Je Zeiteinheit tritt eine Stufe in die Pipeline, und eine Antwort kommt nach der Latenz.",
            asks: "Ein Warp von 4 Threads fragt einen Speicher mit 4 Bänken und Latenz {l} nach den Adressen {addresses}. Wie viele Zeiteinheiten dauert das?",
            hint: "Ordnen Sie die Adressen nach ihren Bänken, *a* mod 4. Die Bank mit den meisten verschiedenen Adressen sagt, wie viele Stufen es sind.",
            why: "Adresse *a* liegt in Bank *a* mod 4; gleiche Adressen werden einmal beantwortet. Zahl der Stufen: {stages}, also {stages} + {l} − 1.",
        },
    ],
    watch: "Ansehen",
    check: "Antworten prüfen",
    unanswered: "Es wurde nichts geprüft, weil keine Antwort gewählt ist. Wählen Sie an einer Station eine Antwort und drücken Sie dann *{check}*.",
    right: "Richtig.",
    again: "Noch nicht richtig.",
    second: "Richtig im zweiten Versuch.",
    wrong: "Nicht richtig: Es sind {answer}.",
    open: "Ganz öffnen",
    score: "{right} von {all} richtig.",
    counted: "Die ersten Antworten zählen.",
    hand_in: "Der Link zum Abgeben:",
    share: "Der Link für eine Klasse:",
    others: "Andere Fragen",
    own: "Eigene Texte",
    own_note: "Zwei kurze Texte, an denen jedes Verfahren der Lektion zu sehen ist und von denen die Fragen handeln: *a* mit bis zu {a} Symbolen, *b* mit bis zu {b}. Sie stehen im Link.",
    own_use: "Diese Texte nehmen",
    own_refused: "Diese Texte passen nicht: *a* hat 1 bis {a} Symbole, *b* hat 1 bis {b}, und jeder ist eine Zeile. Die Lektion zeigt ihre eigenen.",
    own_without: "Ohne eigene Texte",
};
