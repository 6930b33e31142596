//! Spanish texts of the lesson about collections.

use super::super::LessonStation;
use super::TreeTexts;

pub(super) const TOLD: TreeTexts = TreeTexts {
    title: "De una distancia a un árbol",
    about: "Cinco frases de una clase se convierten en un árbol, en tres preguntas. Las respuestas quedan en el enlace.",
    stations: [
        LessonStation {
            title: "Las dos más cercanas",
            text: "La distancia de dos frases es el menor número de palabras que se sustituyen, añaden o quitan. Cinco frases tienen diez pares, y diez distancias dicen cuáles están cerca.",
            asks: "¿Qué dos de estas frases son las más cercanas?",
            hint: "Cuente las palabras que difieren. Una palabra movida cuenta dos veces: se quita y se añade.",
            why: "{answer} tienen una distancia de {d}, y todos los demás pares, una mayor.",
        },
        LessonStation {
            title: "Qué celda se une después",
            text: "Las dos más cercanas, {a} y {b}, ya son un grupo: su celda está marcada. La distancia de un grupo a una frase es la menor de sus miembros (enlace simple). El siguiente grupo se forma en la menor de las otras celdas.",
            asks: "¿Qué celda se une después?",
            hint: "Busque el menor número sin marcar. Cada número aparece dos veces, porque la distancia es igual en ambos sentidos.",
            why: "La celda de {answer} tiene {d}, el menor número que queda.",
        },
        LessonStation {
            title: "Dónde se corta el árbol",
            text: "Un umbral corta el árbol: dos frases se parecen si su distancia es como máximo {d}. Un grupo es una cadena de pares parecidos.",
            asks: "El umbral es {d}. ¿Cuántas de las {n} frases se parecen a otra?",
            hint: "Recorra las filas. Una fila cuenta si uno de sus números, aparte del propio, es como máximo {d}.",
            why: "Cada una de estas frases tiene en su fila un número de como máximo {d}.",
        },
    ],
    pair: "{a} y {b}",
    table: "Palabras que cambian entre cada dos frases",
    open: "Abrir estas frases en la página",
    back: "La lección de cinco estaciones",
};
