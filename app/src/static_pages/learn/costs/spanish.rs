//! Spanish texts of the lesson about costs.

use super::{CostsTexts, ModelTexts};

pub(super) const TOLD: CostsTexts = CostsTexts {
    title: "Las mismas dos palabras, cinco costes",
    about: "Cinco maneras de contar lo que dos palabras tienen en común. Observa cómo cambian la suma y las columnas, aunque las palabras sean las mismas.",
    words: "Las palabras son *{a}* y *{b}*.",
    models: [
        ModelTexts {
            title: "Levenshtein: cada edición cuenta 1",
            text: "Una letra se sustituye, se inserta o se borra. Cada edición cuenta 1, y gana la suma menor.",
        },
        ModelTexts {
            title: "Indel: una sustitución cuenta 2",
            text: "Una sustitución cuenta tanto como borrar una letra e insertar otra. Por eso solo deciden las letras que quedan: la suma se deduce de una subsecuencia común más larga.",
        },
        ModelTexts {
            title: "Damerau–Levenshtein: un intercambio cuenta 1",
            text: "Quien escribe a máquina intercambia a menudo dos vecinas. Aquí ese intercambio es una sola edición. Otras ediciones no pueden tocar de nuevo las dos letras (optimal string alignment).",
        },
        ModelTexts {
            title: "Needleman–Wunsch: puntos por lo igual",
            text: "Dos letras iguales dan 1 punto. Dos distintas cuestan 1, y una letra sin pareja cuesta 1. Gana la suma mayor. Crece con la longitud de las palabras, así que dice poco sin las longitudes.",
        },
        ModelTexts {
            title: "Smith–Waterman: los mejores trozos",
            text: "Dos letras iguales dan 3 puntos, dos distintas cuestan 3, y una letra sin pareja cuesta 2. El alineamiento puede empezar y acabar en cualquier sitio: las letras fuera de los mejores trozos no cuestan nada.",
        },
    ],
    sum: "Suma: {sum}.",
    points: "Puntos: {points}.",
    pieces: "Letras {a1} a {a2} de *a*, letras {b1} a {b2} de *b*.",
    nothing: "Ningún trozo da puntos.",
    same: "Las columnas son las mismas que con Levenshtein. Solo cambian sus costes.",
    other: "Las columnas son distintas de las de Levenshtein.",
    open: "Abrir en la página",
    own_note: "Dos textos cortos: *a* de hasta {a} símbolos, *b* de hasta {b}. Están en el enlace.",
    back: "La lección de cinco estaciones",
};
