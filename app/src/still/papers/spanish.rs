//! Spanish.

use super::Told;

pub(super) const TOLD: Told = Told {
    about: "Cada método de estos artículos funciona aquí tal como se publicó, paso a paso con un texto breve. Sus cifras publicadas están junto a lo que se midió aquí.",
    asks: [
        "¿Con qué rapidez se puede buscar un patrón con errores en una GPU, y se puede demostrar que no es posible ir más rápido?",
        "¿Puede una GPU dar la subsecuencia misma, y no solo su longitud, en memoria lineal?",
        "¿Se pueden contar los símbolos iguales en cada desplazamiento de un flujo, con muchos procesadores a la vez?",
        "¿Puede un modelo con dos clases de memoria valorar un programa de GPU antes de escribirlo?",
        "¿Gana la búsqueda exacta de Knuth, Morris y Pratt con un hilo para cada trozo del texto?",
    ],
    ideas: [
        "El texto se corta en *D* partes que se solapan en 2*m* símbolos; *m* hilos rellenan cada una por sus antidiagonales, en tres filas de memoria compartida.",
        "La recursión de Hirschberg corta el rectángulo donde las filas de arriba y de abajo tienen la mayor suma; las filas se rellenan con vectores de bits.",
        "Unos contadores en campos de ⌈log₂(*m* + 1)⌉ bits avanzan un campo con cada símbolo; la forma paralela tiene un flujo de bits para cada símbolo del patrón.",
        "Los bancos de la memoria compartida sirven direcciones distintas, la memoria global sirve vecinas; cada ronda de peticiones se cuenta en unidades de tiempo.",
        "Una tabla dice cuánto del patrón encaja con seguridad tras una diferencia; cada hilo lee su trozo y una longitud de patrón más allá de su final.",
    ],
    watch: ["Ver las partes", "Ver Hirschberg", "Ver Shift-Add", "Ver bancos y grupos", "Ver Knuth, Morris y Pratt"],
    no_times: "El artículo no tiene tabla de tiempos.",
    whole: "Abrir entero",
    searches: "Búsqueda aproximada: tiempos de ambos artículos",
    searches_note: "Milisegundos para un texto de *n* = 4\u{202f}194\u{202f}304 símbolos 0 y 1 al azar. De los tiempos publicados, el mejor, con su número *D* de bloques. El modelo de máquina tiene un solo factor para todos los tiempos publicados. Los nuestros son medianas, con el texto en memoria.",
    subsequences: "Subsecuencia común más larga: tiempos del artículo",
    subsequences_note: "Segundos para dos textos sin relación de tantos megabytes, con la subsecuencia misma. Los nuestros son medianas con textos de otras tantas letras al azar.",
    published: "Publicado",
    model: "Modelo de máquina",
    method: "Este método aquí",
    ours: "Lo nuestro",
    speed_up: "aceleración",
    core: "un núcleo",
    chart: "Lo que predice el modelo y lo que dijo el reloj",
    chart_says: "El modelo de máquina valora cada uno de los {n} tiempos publicados. Si fuera exacto, todos los puntos estarían en la recta; ninguno se aparta de ella más de {share}.",
    chart_note: "Ambos ejes son logarítmicos. La GeForce GTX 580 se toma como 16 multiprocesadores con warps de 32 hilos que tienen cada uno a lo sumo 8 bloques y 1536 hilos, con una latencia de 16 unidades de tiempo para la memoria compartida y 400 para la global. La fórmula de los artículos omite el límite de bloques y promete demasiado de muchos bloques cortos.",
    here: "Lo que el modelo predice de una H200 y lo que se midió",
    here_says: "Las líneas discontinuas son lo que dice la fórmula con w, d, l y L medidos en el dispositivo; los puntos son tiempos medidos. Hasta D = 128, donde cada bloque tiene un multiprocesador propio, cada tiempo es {near} veces lo previsto: la forma es correcta y falta un factor. Donde varios bloques comparten un multiprocesador, es {far} veces.",
    here_note: "Ambos ejes son logarítmicos. El texto tiene 4M símbolos; *D* es el número de bloques, *m* la longitud del patrón. La fórmula cuenta accesos a memoria y su latencia, y ninguna de las instrucciones entre ellos.",
    time_units: "unidades de tiempo que cuenta el modelo",
    as_predicted: "según lo previsto",
};
