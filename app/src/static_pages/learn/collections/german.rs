//! German texts of the lesson about collections.

use super::super::LessonStation;
use super::TreeTexts;

pub(super) const TOLD: TreeTexts = TreeTexts {
    title: "Von einer Distanz zu einem Baum",
    about: "Fünf Sätze einer Klasse werden zu einem Baum, in drei Fragen. Die Antworten bleiben im Link.",
    stations: [
        LessonStation {
            title: "Die nächsten zwei",
            text: "Die Distanz zweier Sätze ist die kleinste Zahl von Wörtern, die ersetzt, eingefügt oder gestrichen werden. Fünf Sätze haben zehn Paare, und so sagen zehn Distanzen, wer wem nahe ist.",
            asks: "Welche zwei dieser Sätze sind einander am nächsten?",
            hint: "Zählen Sie die Wörter, die sich unterscheiden. Ein verschobenes Wort zählt zweimal: Es wird gestrichen und eingefügt.",
            why: "{answer} haben die Distanz {d}, und jedes andere Paar hat eine größere.",
        },
        LessonStation {
            title: "Welche Zelle als Nächstes verbindet",
            text: "Die nächsten zwei, {a} und {b}, sind nun eine Gruppe: Ihre Zelle ist markiert. Die Distanz einer Gruppe zu einem Satz ist die kleinste Distanz ihrer Mitglieder (Single Linkage). Die nächste Gruppe entsteht also an der kleinsten der anderen Zellen.",
            asks: "Welche Zelle verbindet als Nächstes?",
            hint: "Suchen Sie die kleinste Zahl, die nicht markiert ist. Jede Zahl steht zweimal, weil die Distanz in beiden Richtungen gleich ist.",
            why: "Die Zelle von {answer} hat {d}, die kleinste übrige Zahl.",
        },
        LessonStation {
            title: "Wo der Baum geschnitten wird",
            text: "Eine Schwelle schneidet den Baum: Sätze sind ähnlich, wenn ihre Distanz höchstens {d} ist. Eine Gruppe ist eine Kette ähnlicher Paare.",
            asks: "Die Schwelle ist {d}. Wie viele der {n} Sätze sind einem anderen ähnlich?",
            hint: "Gehen Sie die Zeilen durch. Eine Zeile zählt, wenn eine ihrer Zahlen, außer der eigenen, höchstens {d} ist.",
            why: "Jeder dieser Sätze hat eine Zahl von höchstens {d} in seiner Zeile.",
        },
    ],
    pair: "{a} und {b}",
    table: "Zu ändernde Wörter zwischen je zwei Sätzen",
    open: "Diese Sätze auf der Seite öffnen",
    back: "Die Lektion mit fünf Stationen",
};
