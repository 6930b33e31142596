//! French texts of the lesson about costs.

use super::{CostsTexts, ModelTexts};

pub(super) const TOLD: CostsTexts = CostsTexts {
    title: "Les deux mêmes mots, cinq coûts",
    about: "Cinq façons de compter ce que deux mots ont en commun. Observez comment la somme et les colonnes changent, bien que les mots restent les mêmes.",
    words: "Les mots sont *{a}* et *{b}*.",
    models: [
        ModelTexts {
            title: "Levenshtein : chaque modification compte 1",
            text: "Une lettre est remplacée, insérée ou supprimée. Chaque modification compte 1, et la plus petite somme gagne.",
        },
        ModelTexts {
            title: "Indel : une substitution compte 2",
            text: "Une substitution compte autant que supprimer une lettre et en insérer une autre. Seules les lettres qui restent décident donc : la somme se déduit d’une plus longue sous-suite commune.",
        },
        ModelTexts {
            title: "Damerau–Levenshtein : un échange compte 1",
            text: "En tapant, on échange souvent deux voisines. Ici, un tel échange est une seule modification. Les autres modifications ne peuvent plus toucher les deux lettres (optimal string alignment).",
        },
        ModelTexts {
            title: "Needleman–Wunsch : des points pour ce qui est égal",
            text: "Deux lettres égales rapportent 1 point. Deux lettres différentes coûtent 1, et une lettre sans partenaire coûte 1. La plus grande somme gagne. Elle croît avec la longueur des mots et dit donc peu sans les longueurs.",
        },
        ModelTexts {
            title: "Smith–Waterman : les meilleurs morceaux",
            text: "Deux lettres égales rapportent 3 points, deux lettres différentes coûtent 3, et une lettre sans partenaire coûte 2. L’alignement peut commencer et finir n’importe où : les lettres hors des meilleurs morceaux ne coûtent rien.",
        },
    ],
    sum: "Somme : {sum}.",
    points: "Points : {points}.",
    pieces: "Lettres {a1} à {a2} de *a*, lettres {b1} à {b2} de *b*.",
    nothing: "Aucun morceau ne rapporte de point.",
    same: "Les colonnes sont les mêmes qu’avec Levenshtein. Seuls leurs coûts diffèrent.",
    other: "Les colonnes diffèrent de celles de Levenshtein.",
    open: "Ouvrir sur la page",
    own_note: "Deux textes courts : *a* d’au plus {a} symboles, *b* d’au plus {b}. Ils figurent dans le lien.",
    back: "La leçon en cinq étapes",
};
