/** Cues of Spanish. */

import { between, type CueTable, cue, only, opening, words } from "./cue-table.ts";

const PAST =
  "actualizad[oa]s?|agregad[oa]s?|añadid[oa]s?|aplicad[oa]s?|arreglad[oa]s?|cambiad[oa]s?|cancelad[oa]s?|completad[oa]s?|configurad[oa]s?|" +
  "convertid[oa]s?|corregid[oa]s?|cread[oa]s?|desplegad[oa]s?|eliminad[oa]s?|enviad[oa]s?|escrit[oa]s?|fusionad[oa]s?|generad[oa]s?|" +
  "guardad[oa]s?|hech[oa]s?|implementad[oa]s?|instalad[oa]s?|movid[oa]s?|probad[oa]s?|publicad[oa]s?|reemplazad[oa]s?|renombrad[oa]s?|" +
  "reservad[oa]s?|resuelt[oa]s?|sustituid[oa]s?|terminad[oa]s?|traducid[oa]s?|verificad[oa]s?|borrad[oa]s?";
const PRETERITE =
  "actualicé|agregué|añadí|apliqué|arreglé|cambié|cancelé|completé|configuré|corregí|creé|eliminé|envié|escribí|generé|guardé|implementé|instalé|moví|probé|publiqué|reemplacé|resolví|terminé|traduje|verifiqué|borré";

/** Whoever only looks, tries or tells chooses nothing that lasts. */
const LOOKING =
  "revis|comprob|verific|busc|le[eí]|abr|ver|mir|prob|ejecut|analiz|explic|mostr|ayud|dar|intent|empe|comen|continu|investig|explor|examin|consult|cont|dec";

export const SPANISH: CueTable = {
  request: words(
    "por favor|puedes|puede usted|podrías|podría|podemos|quiero|quisiera|necesito|me gustaría|necesitamos|tenemos que|hay que|vamos a|debe(?:s|mos|rías)?|añade|agrega|arregla|corrige|crea|escribe|haz|hazme|cambia|elimina|borra|reemplaza|traduce|verifica|comprueba|prueba|ejecuta|busca|encuentra|explica|muestra|ayúdame|prepara|pon|migra|analiza|resume|usa|instala|compara|revisa|redacta|planifica|actualiza|genera|implementa|añada(?:me|l[oa]s?)?|agregue|cambie|elimine|quite|ponga|reserve|cancele|envíe(?:me)?|déje(?:me|l[oa]s?)",
  ),
  assent: only(
    "sí|si|no|ok|okay|vale|de acuerdo|perfecto|muy bien|bien|genial|gracias|muchas gracias|exacto|claro|adelante|continúa|continua|continúe|sigue|siga|hazlo|entendido|hola|otra vez|listo|por favor|cómo va",
  ),
  constraint: words(
    "debe|deben|debes|nunca|jamás|siempre|solo|sólo|solamente|únicamente|no (?:\\p{L}+es|\\p{L}+as|debe\\p{L}*|uses|cambies|toques|hay que|se (?:debe|puede|permite))|sin|evita|prefiero|preferimos|como (?:máximo|mínimo)|al menos|no más de|hay que|en lugar de|en vez de|asegúrate|importante|prohibido|obligatorio|mantén|usa",
  ),
  chosen: words(
    "(?:hemos|he|se ha|ha|han) (?:decidido|elegido|optado|acordado|escogido)|decidimos|decidí|decidió|(?:la|nuestra|mi) decisión (?:es|fue)|elegimos|elegí|eligió|optamos|opté|acordamos|nos quedamos con|me quedo con|(?:vamos|voy) con",
  ),
  commit: words(
    "(?:usaremos|usaré|vamos a (?:usar|mantener|dejar|guardar)|voy a (?:usar|mantener|dejar|guardar)|usemos|mantendremos|mantengo|mantenemos|dejamos|dejaremos|guardaremos|evitaremos|cambiamos (?:a|de)|cambiaremos a|(?:quiero|quisiera|me gustaría) (?:usar|utilizar|mantener|elegir|quedarme con)|elijo)",
  ),
  means: words(
    `(?:voy a|vamos a|debemos|conviene|hay que) (?!${LOOKING})\\p{L}+|(?!${LOOKING})\\p{L}+(?:aré|eré|iré|aremos|eremos|iremos)`,
  ),
  remedy: words(
    "la (?:mejor )?(?:solución|estrategia)(?: \\p{L}+)? (?:es|consiste)|el arreglo (?:es|consiste)|^(?:mejor )?(?:solución|decisión):(?= \\p{L})",
  ),
  contrast: words(
    "(?:usaremos|usaré|vamos|voy|prefiero|preferimos|cambiamos|mantenemos|\\p{L}+(?:aremos|eremos|iremos|aré|eré|iré))(?![\\p{L}]).{1,160} (?:en lugar de|en vez de|en su lugar)|^(?:en lugar de|en vez de) .{3,160},",
  ),
  pick: opening("(?:usa|utiliza|toma|elige|quédate|mantén)(?![\\p{L}])|(?:el|la) [^,.]{2,40}, (?=porque|ya que)"),
  against: words("en lugar de|en vez de"),
  open: cue(
    `^si(?![\\p{L}])|${words("o bien .{1,120} o|ya sea|o (?:podemos|puedes|podría\\p{L}*)|quizás?|tal vez|probablemente|a lo mejor|(?:no|aún no|todavía no)(?: \\p{L}+){0,2} (?:decidido|elegido)|(?:puede[sn]?|podría[sn]?|podrías|debería[sn]?|deberías)|(?:hay que|falta|debemos) (?:decidir|elegir)|alternativamente").source}`,
  ),
  choice: words(
    "¿?(?:debo|debería|debemos|desea[sn]?|quiere[sn]?|prefiere[sn]?|te gustaría|le gustaría|cuál(?:es)?|qué opción|te parece|le parece|está bien)|o (?:prefiere[sn]?|mejor)",
  ),
  reason: words(
    "porque|ya que|para que|para (?:evitar|no)|de modo que|así (?=[^,.;]{1,60} pued)|debido a|puesto que|dado que|a causa de|pues",
  ),
  done: cue(
    `^(?:${PAST})(?![\\p{L}\\p{N}]|:)|${words(`(?:he|hemos|ha sido|han sido|fue|fueron|está|están|queda|quedan|quedó)(?: ya| ahora| también)? (?:${PAST})|${PRETERITE}|(?:pruebas?|tests?|compilación)(?![\\p{L}\\p{N}]).{0,40}(?:pasan|pasa|pasaron|verde)|(?:ahora|ya) funciona|con éxito`).source}`,
  ),
  finished: words(
    "(?:está|están|queda|quedan|quedó|ha sido|han sido|fue|fueron)(?: ya| ahora| todo)? (?!relacionad|basad|situad|limitad|prevista?|necesitad)\\p{L}+(?:ad|id)[oa]s?(?=[.!]*$|\\s+\\(|\\s{2,})|(?:he|hemos) (?!intentad|visto|notad|decidid|pensad|encontrad|elegid|consultad|localizad)\\p{L}+(?:ado|ido|cho|sto|rto|ito)(?![\\p{L}])",
  ),
  undone: words(
    "no|espero|ningun[ao]|pero|sin embargo|aunque|todavía|aún|debería|deberían|podría|sería|será|serán|voy|vamos|si|cuando|antes|casi|parcialmente|fall[aóo]\\p{L}*|error|problema es|hay que|falta|intent\\p{L}*|nunca",
  ),
  next: words(
    "siguiente(?:s)?|próxim[oa]s?|voy a|vamos a|a continuación|después|luego|falta(?:n)?|queda(?:n)? por|pendiente(?:s)?|tenemos que|tengo que|hay que|ahora (?:voy|vamos|toca)",
  ),
  lead: opening(
    "(?:(?:perfecto|bien|muy bien|genial|vale|ok)[!.,]*\\s+)*(?:(?:ahora|luego|después|primero|a continuación)[,]?\\s+)*(?:voy a|vamos a|tengo que|tenemos que|hay que|necesito)\\s+",
  ),
  looking: opening(`(?:${LOOKING})\\p{L}*`),
  blocked: words(
    "bloquead[oa]s?|esperando|a la espera de|(?:no puedo|no podemos|no se puede|imposible) .{0,30}(?:continuar|seguir|acceder|conectar|instalar|publicar|terminar|encontrar|desplegar)|sin acceso|acceso denegado|permiso denegado|(?:necesito|necesitamos|falta) (?:tu|su|que (?:me|nos)|la (?:aprobación|clave|contraseña))|(?:puedes|podrías|podría) (?:confirmar|proporcionar|indicar)\\p{L}*|sigue fallando",
  ),
  finding: words(
    "la causa|el (?:verdadero )?(?:problema|error|fallo) (?:es|era|está|estaba|viene)|resulta que|resultó que|se debe a|se debía a|descubr\\p{L}+ que|causad[oa] por",
  ),
  hedge: words("quizás?|tal vez|probablemente|parece|podría|creo que|a lo mejor"),
  nextLabel: words("próximos? pasos?|siguientes? pasos?|pendientes?|por hacer|falta|tareas pendientes"),
  leftLabel: words(
    "(?:tareas |asuntos )?pendientes?|por hacer|falta(?:n)?(?: por hacer)?|queda(?:n)?(?: por hacer| pendientes?)?",
  ),
  planLabel: words(
    "(?:mi|el|nuestro) plan|plan:|voy a|vamos a|(?:dos|tres|cuatro|cinco|seis|\\d) (?:pasos|partes|fases|tareas)",
  ),
  after: between("(?:y\\s+)?(?:luego|después|finalmente|por último|a continuación)"),
};
