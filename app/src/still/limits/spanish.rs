//! Spanish.

use super::Told;

pub(super) const TOLD: Told = Told {
    about: "Qué acepta este servidor, cuánto tiempo lo conserva y qué no sale nunca de su navegador.",
    engines: "Motores de este servidor",
    cells_are: "Dos textos de *m* y *n* símbolos tienen *m* × *n* celdas, de las que un trabajo rellena las que pueden importar: si los textos se parecen, una pequeña parte, como indica una muestra de ambos. Eso es lo que cuenta aquí, y no su longitud. La búsqueda exacta lee cada símbolo una vez y cuenta *m* + *n*. Lo que dura más de lo que puede durar un trabajo se detiene; lo que duraría más de cuatro veces ese tiempo se rechaza.",
    cells: "Celdas que rellena un trabajo",
    processor: "procesador",
    gpu: "GPU",
    sizes: "Tamaños",
    up_to: "hasta {size}",
    upload: "Un texto subido",
    request: "Una petición con sus textos",
    private_link: "Un enlace privado",
    link_of_texts: "Un enlace que contiene los textos",
    waiting: "Trabajo que espera un motor",
    running: "Duración de un trabajo",
    visitor_cells: "Celdas que rellena un visitante en una hora",
    visitor_sends: "Lo que un visitante envía en una hora",
    visitor_stores: "Lo que un visitante guarda en un día",
    kept: "Qué se conserva y cuánto tiempo",
    kept_upload: "Un texto subido",
    kept_result: "El resultado de un trabajo",
    kept_link: "Un enlace guardado o privado",
    kept_link_for: "1 día, 30 días o hasta que usted lo elimine: usted elige",
    kept_typed: "Lo que se escribe sin crear un enlace ni un trabajo",
    kept_never: "no se guarda nunca",
    secrets: "Los identificadores son aleatorios y no dicen nada de los textos. Los textos no se anotan en ningún registro. Un enlace privado se cifra en el navegador: su clave está en la parte del enlace que los navegadores no envían, así que quien lleva este servidor no puede leerlo.",
    own: "Sus propios límites",
    own_server: "Editscope es un único programa que usted mismo puede ejecutar; cada límite de aquí es uno de sus ajustes, que enumera su README. Lo que promete está en la {docs}.",
    docs: "documentación de la API (en inglés)",
};
