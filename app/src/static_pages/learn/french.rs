//! French texts of the lesson page.

use super::{LearnTexts, LessonStation};

pub(super) const TOLD: LearnTexts = LearnTexts {
    about: "Cinq étapes de la matrice au GPU. À chacune, une méthode à regarder et une question\u{a0}; les réponses restent dans le lien.",
    stations: [
        LessonStation {
            title: "La matrice",
            text: "*D*[*i*, *j*] est le plus petit nombre de modifications qui changent les *i* premiers symboles de *a* en les *j* premiers de *b*. Une cellule en demande trois autres\u{a0}: au-dessus, à gauche et au coin. La dernière cellule est la réponse.",
            asks: "Combien de modifications changent {a} en {b}\u{a0}?",
            hint: "Regardez la dernière cellule de la matrice, en bas à droite.",
            why: "C’est la dernière valeur de la matrice de {a} et {b}.",
        },
        LessonStation {
            title: "Ses diagonales",
            text: "Les cellules d’une antidiagonale n’ont pas besoin les unes des autres. On peut les remplir toutes à la fois, puis la diagonale suivante\u{a0}: de nombreux fils ont du travail en même temps.",
            asks: "Une matrice de {m} lignes et {n} colonnes, sans ses bords, est remplie diagonale par diagonale. Combien d’étapes cela fait-il\u{a0}?",
            hint: "Chaque antidiagonale commence dans la première ligne ou dans la dernière colonne. Comptez ces cellules, le coin une fois.",
            why: "Il y a {m} + {n} − 1 antidiagonales.",
        },
        LessonStation {
            title: "Mots de bits",
            text: "Les voisins d’une colonne diffèrent d’un au plus\u{a0}: un ou deux bits suffisent pour chacun. Un mot machine contient autant de lignes qu’il a de bits, et une addition porte sa retenue à travers toutes.",
            asks: "Une colonne de {m} lignes tient dans des mots de {w} bits. Combien de mots calcule-t-on pour {n} colonnes\u{a0}?",
            hint: "Trouvez combien de mots fait une colonne\u{a0}: un mot qui n’est pas plein compte aussi. Chaque colonne en demande autant.",
            why: "Une colonne fait {words} mots, et il y a {n} colonnes.",
        },
        LessonStation {
            title: "Tranches du texte",
            text: "Un texte est coupé en tranches, une par bloc de fils. Aucune occurrence ne doit se perdre à un bord. Une occurrence à distance *m* au plus est au plus deux fois plus longue que son motif de *m* symboles.",
            asks: "De combien de symboles les tranches se chevauchent-elles pour un motif de {m} symboles\u{a0}?",
            hint: "Une occurrence peut commencer au dernier symbole d’une tranche. Comptez donc sa longueur possible.",
            why: "Une occurrence a au plus 2 · {m} symboles.",
        },
        LessonStation {
            title: "Pourquoi un GPU",
            text: "Les fils d’un warp demandent de la mémoire en même temps. La mémoire partagée a des bancs\u{a0}: les adresses de bancs distincts sont servies ensemble, celles d’un même banc l’une après l’autre, et des adresses égales une seule fois. À chaque unité de temps un étage entre dans le pipeline, et une réponse vient après la latence.",
            asks: "Un warp de 4 fils demande à une mémoire de 4 bancs et de latence {l} les adresses {addresses}. Combien d’unités de temps cela prend-il\u{a0}?",
            hint: "Rangez les adresses par leurs bancs, *a* mod 4. Le banc qui a le plus d’adresses distinctes dit combien il y a d’étages.",
            why: "L’adresse *a* est dans le banc *a* mod 4, et des adresses égales sont servies une fois. Nombre d’étages\u{a0}: {stages}, donc {stages} + {l} − 1.",
        },
    ],
    watch: "Regarder",
    check: "Vérifier les réponses",
    unanswered: "Rien n’a été vérifié, car aucune réponse n’est choisie. Choisissez-en une à une station, puis appuyez sur *{check}*.",
    right: "Juste.",
    again: "Pas encore juste.",
    second: "Juste au deuxième essai.",
    wrong: "Ce n’est pas juste\u{a0}: c’est {answer}.",
    open: "Ouvrir en entier",
    score: "{right} sur {all} justes.",
    counted: "Les premières réponses comptent.",
    hand_in: "Le lien à rendre\u{a0}:",
    share: "Le lien pour une classe\u{a0}:",
    others: "D’autres questions",
    own: "Vos propres textes",
    own_note: "Deux textes courts, sur lesquels on voit chaque méthode de la leçon et dont parlent les questions : *a* de {a} symboles au plus, *b* de {b} au plus. Ils sont dans le lien.",
    own_use: "Prendre ces textes",
    own_refused: "Ces textes ne conviennent pas : *a* a de 1 à {a} symboles, *b* de 1 à {b}, et chacun est une ligne. La leçon montre les siens.",
    own_without: "Sans vos propres textes",
};
