/** Cues of German. */

import { between, type CueTable, cue, only, opening, words } from "./cue-table.ts";

const PAST =
  "abgeschlossen|aktualisiert|angelegt|angepasst|behoben|beendet|bereinigt|eingebaut|eingerichtet|entfernt|erledigt|ersetzt|erstellt|" +
  "fertig(?:gestellt)?|geändert|geändert|gefixt|gelöscht|gelöst|geprüft|geschrieben|gespeichert|getestet|hinzugefügt|implementiert|" +
  "installiert|korrigiert|repariert|umbenannt|umgebaut|umgesetzt|umgestellt|übersetzt|verschoben|veröffentlicht|committet|gepusht|gebucht|storniert|versendet|verschickt";

/** Whoever only looks, tries or tells chooses nothing that lasts. */
const LOOKING =
  "prüf|test|les|lies|anseh|anschau|such|untersuch|öffn|analysier|schau|nachseh|start|ausführ|versuch|probier|erklär|zeig|helf|geb|warte|beginn|fortfahr|überprüf|find|frag|brauch|denk|glaub|hab|hatt|hätt|werd|würd|wurd|könn|möcht|soll|muss|müss|will|woll|seh|empfehl|melde";

/** What a thing is like, not what became of it. */
const STATES =
  "(?:geplant|gedacht|gemeint|benötigt|erwartet|bekannt|betroffen|gewesen|geworden|verboten|erlaubt|verbunden|begrenzt|bestimmt|gesperrt|verlangt|empfohlen|enthalten|versucht|gefunden|abgerufen|eingesehen|entschieden|gesehen|bemerkt|unterstützt|überrascht)(?![\\p{L}])";

export const GERMAN: CueTable = {
  request: words(
    "bitte|kannst du|könntest du|können (?:sie|wir)|könnten sie|ich (?:möchte|will|brauche|hätte gern)|wir (?:brauchen|müssen|sollten|wollen)|lass uns|soll(?:te|st|en)?|muss|müssen|mach(?:e|en)?|erstell(?:e|en)?|schreib(?:e|en)?|prüf(?:e|en)?|teste|füge|ändere|entferne|ersetze|übersetze|portiere|baue|behebe|repariere|suche|finde|zeig(?:e)?|erklär(?:e)?|hilf|aktualisiere|analysiere|fasse|plane|entwirf|installiere|richte|starte|lies|vergleiche|überarbeite|kürze|benutze|verwende|nimm|(?:nehmen|ändern|fügen|legen|buchen|stornieren|streichen|schicken|senden|setzen|lassen) sie(?![^.!]*\\?)",
  ),
  assent: only(
    "ja|jo|jep|nein|nee|ok|okay|gut|sehr gut|super|prima|genau|stimmt|richtig|klar|passt|alles klar|danke(?: schön| dir| sehr)?|vielen dank|bitte|weiter|mach weiter|mach das|los|weitermachen|fortfahren|perfekt|toll|hallo|hi|verstanden|einverstanden|nochmal|wie läuft(?:'s| es)",
  ),
  constraint: words(
    "muss|müssen|darf(?: nicht)?|dürfen|niemals|nie|immer|keinesfalls|auf keinen fall|vermeide|höchstens|mindestens|maximal|nicht (?:mehr|später|länger|weniger) als|statt|anstatt|anstelle|nur|ohne|sollte(?:n)?|soll(?:en)?|achte darauf|stelle sicher|stell sicher|lieber|bevorzug\\p{L}*|wichtig|verboten|pflicht|ändere nicht|kein(?:e|en|er)? (?:neuen?|weiteren?|externen?|zusätzlichen?)|verwende|benutze|behalte",
  ),
  chosen: words(
    "(?:haben|habe|hat) .{0,80}(?:entschieden|gewählt|vereinbart|beschlossen|ausgewählt)|(?:entscheiden|entscheide) (?:uns|mich) für|(?:die|unsere|meine) (?:entscheidung|wahl)(?: ist|:| lautet| fiel)|(?:wurde|ist) (?:beschlossen|vereinbart|festgelegt)|einigten uns|geeinigt|(?:bleiben|bleibe|bleiben wir) bei|(?:nehmen|nehme) (?:wir|ich)|(?:wir|ich) (?:nehmen|nehme)|(?:steigen|wechseln) .{0,60}um|variante \\p{L}+ ist (?:besser|am besten|sauberer)",
  ),
  commit: words(
    "(?:wir|ich) (?:verwenden|verwende|benutzen|benutze|behalten|behalte|lassen|lasse|setzen|setze|wählen|wähle|speichern|speichere|ersetzen|ersetze|verzichten|verzichte)|(?:verwenden|benutzen|behalten|lassen|setzen|wählen|speichern|ersetzen) wir|(?:verwende|benutze|behalte|lasse|wähle) ich|lass uns|(?:ich|wir) (?:möchten?|will|wollen) [^,.;]{2,80} (?:nehmen|verwenden|benutzen|nutzen|behalten)",
  ),
  means: words(
    `(?:ich werde|werde ich|wir werden|werden wir|wir sollten|sollten wir|ich sollte|wir müssen|ich muss)(?!.{0,160}(?<!\\p{L})(?:${LOOKING})\\p{L}*(?:[.,;:!]|$))|(?:ich (?!${LOOKING})\\p{L}+e|wir (?!${LOOKING})\\p{L}+en)`,
  ),
  remedy: words(
    "die (?:\\p{L}+ )?lösung (?:ist|besteht darin)|der (?:\\p{L}+ )?fix ist|am (?:besten|einfachsten|saubersten) ist es|^(?:beste |einfachste |saubere )?(?:lösung|entscheidung):(?= \\p{L})",
  ),
  contrast: words(
    "(?:wir|ich|lass uns|werde|werden)(?![\\p{L}]).{1,160} (?:statt|anstatt|anstelle|stattdessen)|^(?:statt|anstatt|anstelle) .{3,160}(?:wir|ich)",
  ),
  pick: opening(
    "(?:(?:bitte|ok(?:ay)?|ja|nein|dann)[,.!]? )*(?:(?:nimm|nehmt|nehmen|verwende|benutze|wähle|behalte|bleib|bleiben|lass)(?![\\p{L}])|(?:den|die|das|der) [^,.]{2,40}, (?=weil|da |denn))",
  ),
  against: words("statt|anstatt|anstelle|stattdessen|lieber"),
  open: cue(
    `^(?:wenn|falls|sofern)(?![\\p{L}])|${words("entweder(?![\\p{L}]).{1,120} oder|oder (?:wir|du|sie|ich) (?:kann|kannst|können|könnte[nst]*)|ob|alternativ|vielleicht|eventuell|vermutlich|wahrscheinlich|(?:noch|bisher) (?:nicht|keine?)(?: \\p{L}+)? (?:entschieden|gewählt|entscheidung)|(?:du|sie|man|ihr) (?:kannst|können|könntest|könnten|könnt|kann|könnte|solltest|sollten|sollte)|könnte[nt]?|müssen (?:wir )?(?:noch )?entscheiden").source}`,
  ),
  choice: words(
    "soll(?:en|te|ten)? (?:ich|wir)|möchte(?:st|n)? (?:du|sie)|willst du|wollen sie|welche[rsn]?|bevorzugst du|bevorzugen sie|ist das (?:so )?(?:in ordnung|ok(?:ay)?|recht)|lieber|oder",
  ),
  reason: words(
    "weil|da (?:es|sie|er|die|der|das|wir|ich|dies|so)|damit|sodass|wegen|aufgrund|denn|um (?:[^,.;]{1,80} )?zu",
  ),
  done: cue(
    `^(?:${PAST})(?![\\p{L}\\p{N}]|:)|${words(`(?:habe|haben|hat|ist|sind|wurde|wurden|worden)(?![\\p{L}\\p{N}]).{0,160}(?:${PAST})|(?:tests?|build|prüfung(?:en)?|suite)(?![\\p{L}\\p{N}]).{0,40}(?:laufen|läuft|bestanden|grün|erfolgreich)|funktioniert (?:jetzt|nun|wieder)|ist (?:jetzt |nun )?fertig`).source}`,
  ),
  finished: words(
    `(?:ist|sind|wurde|wurden|habe|haben)(?: .{1,160})? (?!${STATES})(?:\\p{L}*ge\\p{L}+(?:t|en)|\\p{L}+iert|(?:\\p{L}+)?(?:be|ver|er|ent|zer|über|unter)\\p{L}+(?:t|en))(?=[.!]*$|\\s+\\(|\\s{2,})`,
  ),
  undone: words(
    "nicht|noch|kein(?:e|en|er|em)?|hoffe(?:n|ntlich)?|aber|jedoch|allerdings|sollte(?:n)?|würde(?:n)?|könnte(?:n)?|werde|wird|werden|wenn|falls|ob|bevor|sobald|fast|teilweise|fehlgeschlagen|schlägt|scheitert|gescheitert|problem ist|muss|müssen|soll(?:en)?|versuch\\p{L}*|versehentlich|abgebrochen|fehlt|fehlen|schnell (?:erledigt|gemacht|getan)",
  ),
  next: words(
    "als nächstes|als nächster schritt|nächste[rns]?|ich werde|wir werden|lass mich|lass uns|danach|anschließend|noch zu|müssen wir|muss ich|muss noch|müssen noch|sollten wir|bleibt noch|offen|ausstehend|steht noch aus|jetzt (?:prüfe|teste|schreibe|baue|mache|kümmere|sehe)",
  ),
  lead: opening(
    "(?:(?:gut|super|perfekt|prima|okay|ok)[!.,]*\\s+)*(?:(?:jetzt|nun|als nächstes|zuerst|dann)\\s+)?(?:ich werde|werde ich|wir werden|werden wir|ich will|ich muss|muss ich|wir müssen|müssen wir)\\s+(?:(?:jetzt|nun|zuerst|noch|als nächstes|dann|danach|anschließend)\\s+)*",
  ),
  looking: words(`(?:${LOOKING})\\p{L}*(?=[.!]?$)`),
  blocked: words(
    "blockiert|warte(?:n|t)? (?:auf|noch auf)|(?:kann|können) .{0,60}nicht (?:weiter|fortfahren|zugreifen|verbinden|installieren|veröffentlichen|abschließen|finden|öffnen|laden|starten|senden)|kommen? (?:\\p{L}+ )?nicht weiter|kein(?:en)? zugriff|keine berechtigung|zugriff verweigert|steck(?:e|en|t) fest|brauche(?:n)? .{0,60}(?:von dir|von ihnen|freigabe|zugang|zugangsdaten)|bitte (?:bestätige|gib|nenne|schicke)\\p{L}*|schlägt weiterhin fehl",
  ),
  finding: words(
    "ursache|der (?:eigentliche )?(?:fehler|grund) (?:ist|war|liegt|lag)|das (?:eigentliche )?problem (?:ist|war|liegt|lag)|stellt(?:e)? sich heraus|liegt daran|lag daran|herausgefunden",
  ),
  hedge: words("vielleicht|wahrscheinlich|vermutlich|scheint|könnte|möglicherweise|ich glaube|ich denke|wohl"),
  nextLabel: words(
    "nächste schritte|nächster schritt|als nächstes|offen(?:e punkte|e aufgaben)?|ausstehend|noch zu tun|to[- ]?dos?|verbleibend\\p{L}*|weiteres vorgehen",
  ),
  leftLabel: words(
    "(?:noch )?offen(?:e punkte|e aufgaben)?|(?:noch )?ausstehend|steht noch aus|stehen noch aus|noch zu (?:tun|erledigen)|to[- ]?dos?|verbleibend\\p{L}*",
  ),
  planLabel: words(
    "(?:mein|der|unser) plan|plan:|ich werde|wir werden|ich muss|wir müssen|(?:zwei|drei|vier|fünf|sechs|\\d) (?:teile|schritte|phasen|aufgaben)",
  ),
  after: between("(?:und\\s+)?(?:dann|danach|anschließend|schließlich|zuletzt|zum schluss)"),
};
