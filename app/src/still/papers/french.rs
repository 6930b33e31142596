//! French.

use super::Told;

pub(super) const TOLD: Told = Told {
    about: "Chaque méthode de ces articles s’exécute ici telle qu’elle a été publiée, pas à pas sur un texte court. Ses chiffres publiés sont à côté de ce qui a été mesuré ici.",
    asks: [
        "À quelle vitesse peut-on chercher un motif avec des erreurs sur un GPU, et peut-on prouver qu’on ne peut aller plus vite\u{a0}?",
        "Un GPU peut-il donner la sous-séquence elle-même, et non sa seule longueur, en mémoire linéaire\u{a0}?",
        "Peut-on compter les symboles égaux à chaque décalage d’un flux, avec de nombreux processeurs à la fois\u{a0}?",
        "Un modèle à deux sortes de mémoire peut-il évaluer un programme de GPU avant qu’il ne soit écrit\u{a0}?",
        "La recherche exacte de Knuth, Morris et Pratt gagne-t-elle à avoir un fil d’exécution par morceau du texte\u{a0}?",
    ],
    ideas: [
        "Le texte est coupé en *D* tranches qui se chevauchent de 2*m* symboles\u{a0}; *m* fils remplissent chacune le long de ses antidiagonales, dans trois lignes de mémoire partagée.",
        "La récursion de Hirschberg coupe le rectangle là où les lignes d’en haut et d’en bas ont la plus grande somme\u{a0}; des vecteurs de bits remplissent les lignes.",
        "Des compteurs dans des champs de ⌈log₂(*m* + 1)⌉ bits avancent d’un champ à chaque symbole\u{a0}; la forme parallèle a un flux de bits pour chaque symbole du motif.",
        "Les bancs de la mémoire partagée servent des adresses distinctes, la mémoire globale des voisines\u{a0}; chaque tour de requêtes est compté en unités de temps.",
        "Une table dit quelle partie du motif convient sûrement après une différence\u{a0}; chaque fil lit son morceau et une longueur de motif au-delà de sa fin.",
    ],
    watch: ["Voir les tranches", "Voir Hirschberg", "Voir Shift-Add", "Voir bancs et groupes", "Voir Knuth, Morris et Pratt"],
    no_times: "L’article n’a pas de tableau de temps.",
    whole: "Ouvrir en entier",
    searches: "Recherche approchée\u{a0}: temps des deux articles",
    searches_note: "Millisecondes pour un texte de *n* = 4\u{202f}194\u{202f}304 symboles 0 et 1 au hasard. Des temps publiés, le meilleur, avec son nombre *D* de blocs. Le modèle de machine a un seul facteur pour tous les temps publiés. Les nôtres sont des médianes, avec le texte en mémoire.",
    subsequences: "Plus longue sous-séquence commune\u{a0}: temps de l’article",
    subsequences_note: "Secondes pour deux textes sans rapport d’autant de mégaoctets, avec la sous-séquence elle-même. Les nôtres sont des médianes pour des textes d’autant de lettres au hasard.",
    published: "Publié",
    model: "Modèle de machine",
    method: "Cette méthode ici",
    ours: "La nôtre",
    speed_up: "accélération",
    core: "un cœur",
    chart: "Ce que prédit le modèle, et ce qu’a dit l’horloge",
    chart_says: "Le modèle de machine évalue chacun des {n} temps publiés. S’il était exact, tous les points seraient sur la droite\u{a0}; aucun n’en est éloigné de plus de {share}.",
    chart_note: "Les deux axes sont logarithmiques. La GeForce GTX 580 est prise pour 16 multiprocesseurs avec des warps de 32 fils qui tiennent chacun au plus 8 blocs et 1\u{202f}536 fils, avec une latence de 16 unités de temps pour la mémoire partagée et de 400 pour la mémoire globale. La formule des articles omet la limite des blocs, et promet trop de nombreux blocs courts.",
    here: "Ce que le modèle prédit d’une H200, et ce qui a été mesuré",
    here_says: "Les lignes en tirets sont ce que dit la formule avec w, d, l et L tels que mesurés sur l’appareil\u{a0}; les points sont des temps mesurés. Jusqu’à D\u{a0}=\u{a0}128, où chaque bloc a un multiprocesseur à lui, chaque temps vaut {near} fois la prédiction\u{a0}: la forme est juste, et il manque un facteur. Là où plusieurs blocs partagent un multiprocesseur, c’est {far} fois.",
    here_note: "Les deux axes sont logarithmiques. Le texte a 4M symboles\u{a0}; *D* est le nombre de blocs, *m* la longueur du motif. La formule compte les accès à la mémoire et leur latence, et aucune des instructions entre eux.",
    time_units: "unités de temps que compte le modèle",
    as_predicted: "comme prédit",
};
