//! French texts of the lesson about collections.

use super::super::LessonStation;
use super::TreeTexts;

pub(super) const TOLD: TreeTexts = TreeTexts {
    title: "D’une distance à un arbre",
    about: "Cinq phrases d’une classe deviennent un arbre, en trois questions. Les réponses restent dans le lien.",
    stations: [
        LessonStation {
            title: "Les deux plus proches",
            text: "La distance de deux phrases est le plus petit nombre de mots à remplacer, à ajouter ou à retirer. Cinq phrases forment dix paires, et dix distances disent lesquelles sont proches.",
            asks: "Quelles sont les deux phrases les plus proches\u{a0}?",
            hint: "Comptez les mots qui diffèrent. Un mot déplacé compte deux fois\u{a0}: il est retiré puis ajouté.",
            why: "{answer} ont une distance de {d}, et toute autre paire en a une plus grande.",
        },
        LessonStation {
            title: "La cellule qui fusionne ensuite",
            text: "Les deux plus proches, {a} et {b}, forment maintenant un groupe\u{a0}: leur cellule est marquée. La distance d’un groupe à une phrase est la plus petite de ses membres (lien simple). Le groupe suivant se forme donc à la plus petite des autres cellules.",
            asks: "Quelle cellule fusionne ensuite\u{a0}?",
            hint: "Cherchez le plus petit nombre non marqué. Chaque nombre figure deux fois, car la distance est la même dans les deux sens.",
            why: "La cellule de {answer} contient {d}, le plus petit nombre restant.",
        },
        LessonStation {
            title: "Où l’arbre est coupé",
            text: "Un seuil coupe l’arbre\u{a0}: deux phrases se ressemblent si leur distance est d’au plus {d}. Un groupe est une chaîne de paires semblables.",
            asks: "Le seuil est {d}. Combien des {n} phrases ressemblent à une autre\u{a0}?",
            hint: "Parcourez les lignes. Une ligne compte si un de ses nombres, hormis le sien, est d’au plus {d}.",
            why: "Chacune de ces phrases a dans sa ligne un nombre d’au plus {d}.",
        },
    ],
    pair: "{a} et {b}",
    table: "Mots à changer entre deux phrases",
    open: "Ouvrir ces phrases sur la page",
    back: "La leçon en cinq étapes",
};
