/** Cues of Italian. */

import { between, type CueTable, cue, only, opening, words } from "./cue-table.ts";

const PAST =
  "aggiornat[oaie]|aggiunt[oaie]|annullat[oaie]|applicat[oaie]|cambiat[oaie]|completat[oaie]|configurat[oaie]|convertit[oaie]|corrett[oaie]|creat[oaie]|" +
  "eliminat[oaie]|fatt[oaie]|finit[oaie]|generat[oaie]|implementat[oaie]|installat[oaie]|inviat[oaie]|modificat[oaie]|prenotat[oaie]|pubblicat[oaie]|" +
  "rimoss[oaie]|rinominat[oaie]|risolt[oaie]|salvat[oaie]|scritt[oaie]|sostituit[oaie]|spostat[oaie]|terminat[oaie]|testat[oaie]|tradott[oaie]|verificat[oaie]";

/** Whoever only looks, tries or tells chooses nothing that lasts. */
const LOOKING =
  "verific|controll|guard|legg|apr|cerc|prov|esegu|analizz|spieg|mostr|aiut|dar|tent|inizi|continu|esamin|esplor|ved|consult|dir|far|sar|avr";

export const ITALIAN: CueTable = {
  request: words(
    "per favore|per piacere|puoi|può|potresti|potrebbe|possiamo|voglio|vorrei|ho bisogno|abbiamo bisogno|dobbiamo|bisogna|devi|deve|aggiungi|correggi|crea|scrivi|fai|fammi|cambia|modifica|rimuovi|elimina|sostituisci|traduci|verifica|controlla|prova|esegui|cerca|trova|spiega|mostra|aiutami|prepara|metti|migra|analizza|riassumi|usa|installa|confronta|rivedi|pianifica|aggiorna|genera|implementa|sistema",
  ),
  assent: only(
    "sì|si|no|ok|okay|va bene|bene|perfetto|ottimo|benissimo|grazie|grazie mille|esatto|certo|giusto|avanti|continua|prosegui|procedi|vai|fallo|capito|d'accordo|d’accordo|ciao|di nuovo|pronto|per favore|come va",
  ),
  constraint: words(
    "deve|devono|devi|mai|sempre|solo|soltanto|solamente|non (?:cambiare|toccare|usare|modificare|devi|deve|devono|si (?:può|deve)|\\p{L}+are|\\p{L}+ere|\\p{L}+ire)|senza|evita|preferisco|preferiamo|al (?:massimo|minimo)|almeno|non più di|bisogna|invece di|anziché|piuttosto che|assicurati|importante|vietato|obbligatorio|mantieni",
  ),
  chosen: words(
    "(?:abbiamo|ho|ha|è stato|avete) (?:deciso|scelto|optato|concordato|stabilito)|decidiamo|(?:la|nostra|mia) decisione (?:è|è stata)|scegliamo|restiamo con|rimaniamo con|andiamo con",
  ),
  commit: words(
    "(?:useremo|userò|usiamo|uso|teniamo|terremo|terrò|lasciamo|lasceremo|manteniamo|manterremo|salviamo|evitiamo|eviteremo|prendiamo|passiamo (?:a|da)|(?:voglio|vorrei) (?:usare|utilizzare|tenere|scegliere|mantenere)|scelgo)",
  ),
  means: words(
    `(?:devo|dobbiamo|dovremmo|bisogna|conviene) (?!${LOOKING})\\p{L}+(?:are|ere|ire)|(?!${LOOKING})\\p{L}+(?:erò|irò|eremo|iremo)`,
  ),
  remedy: words(
    "la (?:migliore )?(?:soluzione|strategia)(?: migliore)? è|la correzione (?:è|consiste)|^(?:soluzione(?: migliore)?|decisione):(?= \\p{L})",
  ),
  contrast: words(
    "(?:useremo|userò|usiamo|teniamo|preferisco|preferiamo|passiamo|\\p{L}+(?:eremo|iremo|erò|irò))(?![\\p{L}]).{1,160} (?:invece(?: di| che)?|anziché|piuttosto che)|^(?:invece di|anziché|piuttosto che) .{3,160},",
  ),
  pick: opening("(?:usa|prendi|scegli|tieni|resta)(?![\\p{L}])|(?:il|la) [^,.]{2,40}, (?=perché|poiché)"),
  against: words("invece di|anziché|piuttosto che"),
  open: cue(
    `^se(?![\\p{L}])|${words("o (?:possiamo|puoi|può|potremmo)|oppure|sia(?![\\p{L}]).{1,120} sia|forse|probabilmente|(?:non|non ancora)(?: \\p{L}+){0,2} (?:deciso|scelto)|(?:puoi|può|potete|potresti|potrebbe|potreste|dovresti|dovrebbe|potremmo)|(?:bisogna|resta da|dobbiamo) (?:decidere|scegliere)|in alternativa").source}`,
  ),
  choice: words(
    "(?:devo|dobbiamo|vuoi|vuole|volete|preferisci|preferisce|preferite|quale|quali|ti va|va bene)|o (?:preferisci|meglio)",
  ),
  reason: words("perché|poiché|in modo (?:che|da)|per (?:evitare|non)|a causa|siccome|dato che|visto che|affinché"),
  done: cue(
    `^(?:${PAST})(?![\\p{L}\\p{N}]|:)|${words(`(?:ho|abbiamo|è stat[oa]|sono stat[ie]|è|sono)(?: già| ora| anche)? (?:${PAST})|(?:test|prove|compilazione|build)(?![\\p{L}\\p{N}]).{0,40}(?:passano|passa|superat\\p{L}+|verd[ei])|(?:ora|adesso) funziona|con successo`).source}`,
  ),
  finished: words(
    "(?:è|sono|è stat[oa]|sono stat[ie])(?: ora| già)? (?!previst|basat|limitat)\\p{L}+(?:at|it|ut)[oaie](?=[.!]*$|\\s+\\(|\\s{2,})|(?:ho|abbiamo) (?!provat|visto|notat|decis|trovat|scelt|consultat)\\p{L}+(?:ato|ito|uto|tto|sto)(?![\\p{L}])",
  ),
  undone: words(
    "non|spero|nessun[ao]?|ma|però|tuttavia|ancora|dovrebbe|dovrebbero|potrebbe|sarebbe|sarà|saranno|vado|se|quando|prima|quasi|parzialmente|fallit\\p{L}*|fallisce|errore|problema è|bisogna|manca|prov\\p{L}*|mai",
  ),
  next: words(
    "prossim[oaie]|poi|dopo|successivamente|manca(?:no)?|resta(?:no)?|dobbiamo|devo|bisogna|da fare|in sospeso|ora (?:devo|dobbiamo|eseguo|controllo|verifico|aggiungo|scrivo|passo)|adesso (?:devo|dobbiamo|eseguo|controllo|verifico|aggiungo|scrivo|passo)",
  ),
  lead: opening(
    "(?:(?:perfetto|bene|ottimo|ok)[!.,]*\\s+)*(?:(?:ora|adesso|poi|prima)[,]?\\s+)*(?:devo|dobbiamo|bisogna|vado a|andiamo a)\\s+(?:ora |adesso |anche |prima )*",
  ),
  looking: opening(`(?:${LOOKING})\\p{L}*`),
  blocked: words(
    "bloccat[oaie]|in attesa (?:di|del|della|dell)|(?:non posso|non possiamo|non riesco a|non riusciamo a|impossibile) .{0,30}(?:continuare|proseguire|procedere|accedere|connetter\\p{L}+|installare|pubblicare|terminare|trovare)|nessun accesso|accesso negato|permesso negato|(?:serve|servono|ho bisogno) (?:del|della|dell|la tua|il tuo)|(?:puoi|potresti) (?:confermare|fornire|indicare)|continua a fallire",
  ),
  finding: words(
    "la causa|il (?:vero )?(?:problema|errore|bug) (?:è|era|sta|stava|viene)|l['’]errore (?:è|era)|si scopre che|è emerso che|risulta che|è dovuto a|era dovuto a|ho scoperto che|causat[oa] da",
  ),
  hedge: words("forse|probabilmente|sembra|potrebbe|credo|penso"),
  nextLabel: words("prossimi passi|prossimo passo|passi successivi|da fare|in sospeso|resta da fare|ancora aperti"),
  leftLabel: words(
    "da fare|in sospeso|resta(?:no)?(?: da fare)?|ancora (?:da fare|apert[oie])|manca(?:no)?(?: ancora)?",
  ),
  planLabel: words(
    "(?:il mio|il|il nostro) piano|piano:|devo|dobbiamo|(?:due|tre|quattro|cinque|sei|\\d) (?:passi|parti|fasi|compiti)",
  ),
  after: between("(?:e\\s+)?(?:poi|dopo|quindi|infine)"),
};
