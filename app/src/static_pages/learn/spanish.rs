//! Spanish texts of the lesson page.

use super::{LearnTexts, LessonStation};

pub(super) const TOLD: LearnTexts = LearnTexts {
    about: "Cinco estaciones de la matriz a la GPU. En cada una se ve un método y se responde a una pregunta; las respuestas quedan en el enlace.",
    stations: [
        LessonStation {
            title: "La matriz",
            text: "*D*[*i*, *j*] es el menor número de ediciones que convierten los primeros *i* símbolos de *a* en los primeros *j* de *b*. Una celda necesita otras tres: la de arriba, la de la izquierda y la de la esquina. La última celda es la respuesta.",
            asks: "¿Cuántas ediciones convierten {a} en {b}?",
            hint: "Mire la última celda de la matriz, abajo a la derecha.",
            why: "Es el último valor de la matriz de {a} y {b}.",
        },
        LessonStation {
            title: "Sus diagonales",
            text: "Las celdas de una antidiagonal no se necesitan entre sí. Se pueden rellenar todas a la vez, y después la siguiente diagonal: muchos hilos tienen trabajo a la vez.",
            asks: "Una matriz de {m} filas y {n} columnas, sin sus bordes, se rellena diagonal a diagonal. ¿Cuántos pasos son?",
            hint: "Cada antidiagonal empieza en la primera fila o en la última columna. Cuente esas celdas, la esquina una vez.",
            why: "Hay {m} + {n} − 1 antidiagonales.",
        },
        LessonStation {
            title: "Palabras de bits",
            text: "Los vecinos de una columna difieren a lo sumo en uno, así que bastan uno o dos bits para cada uno. Una palabra de máquina contiene tantas filas como bits, y una suma lleva su acarreo por todas ellas.",
            asks: "Una columna de {m} filas se guarda en palabras de {w} bits. ¿Cuántas palabras se calculan para {n} columnas?",
            hint: "Averigüe cuántas palabras son una columna: una que no está llena también cuenta. Cada columna necesita otras tantas.",
            why: "Una columna son {words} palabras, y hay {n} columnas.",
        },
        LessonStation {
            title: "Partes del texto",
            text: "Un texto se corta en partes, una por bloque de hilos. Ninguna coincidencia debe perderse en un borde. Una coincidencia a distancia *m* como mucho mide a lo sumo el doble que su patrón de *m* símbolos.",
            asks: "¿En cuántos símbolos se solapan las partes con un patrón de {m} símbolos?",
            hint: "Una coincidencia puede empezar con el último símbolo de una parte. Cuente, pues, lo larga que puede ser.",
            why: "Una coincidencia tiene a lo sumo 2 · {m} símbolos.",
        },
        LessonStation {
            title: "Por qué una GPU",
            text: "Los hilos de un warp piden memoria a la vez. La memoria compartida tiene bancos: las direcciones de bancos distintos se responden juntas, las de un mismo banco una tras otra, y las direcciones iguales una sola vez. Cada unidad de tiempo entra una etapa en la cadena, y una respuesta llega tras la latencia.",
            asks: "Un warp de 4 hilos pide a una memoria de 4 bancos y latencia {l} las direcciones {addresses}. ¿Cuántas unidades de tiempo tarda?",
            hint: "Ordene las direcciones por sus bancos, *a* mod 4. El banco con más direcciones distintas dice cuántas etapas hay.",
            why: "La dirección *a* está en el banco *a* mod 4; las direcciones iguales se responden una vez. Número de etapas: {stages}, así que {stages} + {l} − 1.",
        },
    ],
    watch: "Verlo",
    check: "Comprobar las respuestas",
    unanswered: "No se ha comprobado nada porque no hay ninguna respuesta elegida. Elija una en cualquier estación y pulse *{check}*.",
    right: "Correcto.",
    again: "Todavía no es correcto.",
    second: "Correcto al segundo intento.",
    wrong: "No es correcto: son {answer}.",
    open: "Abrir entero",
    score: "{right} de {all} correctas.",
    counted: "Cuentan las primeras respuestas.",
    hand_in: "El enlace para entregar:",
    share: "El enlace para una clase:",
    others: "Otras preguntas",
    own: "Textos propios",
    own_note: "Dos textos cortos, con los que se ve cada método de la lección y de los que tratan las preguntas: *a* de hasta {a} símbolos, *b* de hasta {b}. Están en el enlace.",
    own_use: "Usar estos textos",
    own_refused: "Estos textos no sirven: *a* tiene de 1 a {a} símbolos, *b* de 1 a {b}, y cada uno es una línea. La lección muestra los suyos.",
    own_without: "Sin textos propios",
};
