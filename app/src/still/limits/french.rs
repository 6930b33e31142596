//! French.

use super::Told;

pub(super) const TOLD: Told = Told {
    about: "Ce que ce serveur accepte, combien de temps il le garde, et ce qui ne quitte jamais votre navigateur.",
    engines: "Moteurs de ce serveur",
    cells_are: "Deux textes de *m* et *n* symboles ont *m* × *n* cellules, dont un travail remplit celles qui peuvent compter\u{a0}: si les textes se ressemblent, une petite partie, comme l’indique un échantillon des deux. C’est cela qui compte ici, et non leur longueur. La recherche exacte lit chaque symbole une fois et compte *m* + *n*. Ce qui dure plus longtemps qu’un travail ne le peut est arrêté\u{202f}; ce qui durerait plus de quatre fois ce temps est refusé.",
    cells: "Cellules remplies par un travail",
    processor: "processeur",
    gpu: "GPU",
    sizes: "Tailles",
    up_to: "jusqu’à {size}",
    upload: "Un texte envoyé",
    request: "Une requête avec ses textes",
    private_link: "Un lien privé",
    link_of_texts: "Un lien qui contient les textes",
    waiting: "Travail en attente d’un moteur",
    running: "Durée d’un travail",
    visitor_cells: "Cellules remplies par un visiteur en une heure",
    visitor_sends: "Ce qu’un visiteur envoie en une heure",
    visitor_stores: "Ce qu’un visiteur enregistre en un jour",
    kept: "Ce qui est gardé, et combien de temps",
    kept_upload: "Un texte envoyé",
    kept_result: "Le résultat d’un travail",
    kept_link: "Un lien enregistré ou privé",
    kept_link_for: "1 jour, 30 jours, ou jusqu’à ce que vous le supprimiez\u{a0}: à vous de choisir",
    kept_typed: "Ce qui est saisi sans créer de lien ni de travail",
    kept_never: "jamais enregistré",
    secrets: "Les identifiants sont aléatoires et ne disent rien de vos textes. Les textes ne sont écrits dans aucun journal. Un lien privé est chiffré dans votre navigateur\u{a0}: sa clé est dans la partie du lien que les navigateurs n’envoient pas, si bien que le responsable de ce serveur ne peut pas le lire.",
    own: "Vos propres limites",
    own_server: "Editscope est un seul programme que vous pouvez faire tourner vous-même\u{202f}; chaque limite d’ici est l’un de ses réglages, dont la liste est dans son README. Ce qu’il promet est dans la {docs}.",
    docs: "documentation de l’API (en anglais)",
};
