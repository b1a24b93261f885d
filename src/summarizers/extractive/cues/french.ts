/** Cues of French. */

import { between, type CueTable, cue, only, opening, words } from "./cue-table.ts";

const PAST =
  "ajoutée?s?|actualisée?s?|annulée?s?|appliquée?s?|configurée?s?|convertie?s?|corrigée?s?|créée?s?|déplacée?s?|déployée?s?|écrite?s?|" +
  "enregistrée?s?|envoyée?s?|fusionnée?s?|générée?s?|implémentée?s?|installée?s?|mis(?:e|es)? (?:à jour|en place)|modifiée?s?|publiée?s?|" +
  "refactorisée?s?|remplacée?s?|renommée?s?|réparée?s?|réservée?s?|résolue?s?|supprimée?s?|terminée?s?|testée?s?|traduite?s?|vérifiée?s?|rédigée?s?|validée?s?";

/** Whoever only looks, tries or tells chooses nothing that lasts. */
const LOOKING =
  "vérif|regard|li[rs]|ouvr|cherch|test|exécut|lanc|analys|expliqu|montr|aid|donn|essay|commenc|continu|examin|explor|voir|consult|dire|être|avoir|faire";

export const FRENCH: CueTable = {
  request: words(
    "s'il (?:te|vous) plaît|s’il (?:te|vous) plaît|stp|svp|peux-tu|pouvez-vous|pourrais-tu|pourriez-vous|peut-on|je (?:veux|voudrais|souhaite)|j'ai besoin|j’ai besoin|nous (?:devons|voulons)|il (?:faut|faudrait)|on (?:doit|devrait|va)|ajoute[rz]?|corrige[rz]?|crée[rz]?|écri(?:s|vez|re)|fai(?:s|tes)|modifie[rz]?|supprime[rz]?|remplace[rz]?|traduis(?:ez)?|tradui(?:re|sez)|vérifie[rz]?|teste[rz]?|lance[rz]?|cherche[rz]?|trouve[rz]?|explique[rz]?|montre[rz]?|aide[rz]?|prépare[rz]?|mets|mettez|porte[rz]?|analyse[rz]?|résume[rz]?|utilise[rz]?|installe[rz]?|compare[rz]?|rédige[rz]?|planifie[rz]?",
  ),
  assent: only(
    "oui|ouais|non|ok|okay|d'accord|d’accord|parfait|très bien|bien|super|génial|merci(?: beaucoup| bien)?|exact|exactement|vas-y|allez-y|continue[rz]?|poursui(?:s|vez)|c'est bon|c’est bon|entendu|compris|bonjour|salut|encore|s'il (?:te|vous) plaît|ça marche|ça avance",
  ),
  constraint: words(
    "doit|doivent|dois|devez|jamais|toujours|uniquement|seulement|ne .{1,40} (?:pas|jamais|plus)|n['’].{1,40} (?:pas|jamais)|sans|évite[rz]?|préfère|préférons|au (?:plus|moins|maximum|minimum)|il faut(?: que)?|plutôt que|au lieu de|assure-toi|assurez-vous|veille[rz]?|important|interdit|obligatoire|garde[rz]?|utilise[rz]?|conserve[rz]?",
  ),
  chosen: words(
    "(?:avons|ai|a|a été|avez)(?: donc| finalement)? (?:décidé|choisi|opté|retenu|convenu)|décidons|(?:la|notre|ma) décision (?:est|:)|(?:on|nous|je) (?:va |allons |vais )?(?:choisi(?:s|r|ssons)|retien(?:s|drons)|part(?:ons|ir|s)? sur)|(?:restons|rester|reste) (?:sur|avec)|allons-y avec|(?:partons|part) sur|il est convenu",
  ),
  commit: words(
    "(?:on|nous|je) (?:va |allons |vais )?(?:utilis(?:e|er|ons|erons|erai)|gard(?:e|er|ons|erons|erai)|conserv(?:e|er|ons|erons)|laiss(?:e|er|ons|erons)|évit(?:e|er|ons|erons)|stock(?:e|er|ons|erons)|prend(?:s|re|rons)?|remplac(?:e|er|erons)|pass(?:e|er|ons|erons) à)|(?:utilisons|gardons|conservons|prenons|passons)|je (?:voudrais|veux|souhaite) (?:utiliser|garder|prendre|choisir|conserver)|je choisis",
  ),
  means: words(
    `(?:je vais|nous allons|on va|nous devons|nous devrions|il faut) (?!${LOOKING})\\p{L}+|(?:je|j['’]|nous) ?(?!${LOOKING})\\p{L}+(?:erai|irai|erons|irons)`,
  ),
  remedy: words(
    "la (?:meilleure )?(?:solution|approche)(?: \\p{L}+)? (?:est|consiste) (?:de|d['’]|à)|le correctif (?:est|consiste)|^(?:meilleure )?(?:solution|décision) ?:(?= \\p{L})",
  ),
  contrast: words(
    "(?:on|nous|je|allons|vais|passons|passer|bascul\\p{L}+)(?![\\p{L}]).{1,160} (?:plutôt que?|au lieu|à la place)|^(?:plutôt que|au lieu) .{3,160}(?:on|nous|je)",
  ),
  pick: opening(
    "(?:prends|prenez|utilise[rz]?|choisis(?:sez)?|garde[rz]?|reste[rz]?)(?![\\p{L}])|l[ea] [^,.]{2,40}, (?=parce|car|puisque)",
  ),
  against: words("plutôt que?|au lieu|à la place"),
  open: cue(
    `^si(?![\\p{L}])|${words("soit(?![\\p{L}]).{1,120} soit|ou (?:bien|alors) |si (?:vous|tu|on|nous) (?:préfér|voul|souhait)\\p{L}+|peut-être|probablement|éventuellement|(?:pas|rien|jamais)(?: encore)? (?:décidé|choisi|tranché)|(?:vous|tu|on) (?:pouvez|peux|peut|pourriez|pourrais|pourrait|devriez|devrais|devrait)|(?:il )?(?:faut|reste à) (?:encore )?(?:décider|choisir)").source}`,
  ),
  choice: words(
    "dois-je|devons-nous|doit-on|(?:voulez|préférez|souhaitez)-vous|(?:veux|préfères|souhaites)-tu|tu (?:veux|préfères)|vous (?:voulez|préférez)|quel(?:le|s|les)?|lequel|laquelle|(?:ça|cela|ceci) (?:vous|te) (?:va|convient)|(?:vous|te) convient-(?:il|elle)|ou",
  ),
  reason: words(
    "parce que|parce qu['’]\\p{L}+|car|afin (?:de|que|d['’]\\p{L}+)|pour (?:éviter|ne pas)|à cause|puisque|grâce à|pour que|en raison",
  ),
  done: cue(
    `^(?:${PAST})(?![\\p{L}\\p{N}]|:)|${words(`(?:j['’]ai|nous avons|on a|a été|ont été|est|sont)(?: maintenant| bien| également| aussi| déjà)? (?:${PAST})|c['’]est (?:fait|terminé|corrigé|réglé)|(?:tests?|compilation|vérifications?)(?![\\p{L}\\p{N}]).{0,40}(?:passent|passe|réussi\\p{L}*|vert\\p{L}*)|fonctionne (?:maintenant|désormais)|avec succès`).source}`,
  ),
  finished: words(
    "(?:est|sont|a été|ont été)(?: maintenant| bien| déjà)? (?!prêt|prévu|situé|lié)\\p{L}+(?:ée?s?|ie?s?|ue?s?|ite?s?)(?=[.!]*$|\\s+\\(|\\s{2,})|(?:j['’]ai|nous avons) (?!essay|vu|trouv|remarqu|décid|choisi|récupéré|consult)\\p{L}+(?:é|i|u|it|is)(?= (?:l|d|un|une|ce|votre|vos|ton|tes))",
  ),
  undone: words(
    "pas|ne|j['’]espère|n['’]\\p{L}+|mais|cependant|toutefois|encore|devrait|devraient|pourrait|serait|sera|seront|va|vais|allons|si|lorsque|quand|avant|presque|partiellement|échou\\p{L}*|échec|erreur|problème est|faut|doit|doivent|essay\\p{L}*|jamais",
  ),
  next: words(
    "ensuite|puis|prochaine?s?|je vais|nous allons|on va|il reste|restent?|reste à|maintenant je|il faut(?: encore)?|à faire|nous devons|je dois|il faudra|étape suivante",
  ),
  lead: opening(
    "(?:(?:parfait|bien|très bien|super|ok|d['’]accord)[!.,]*\\s+)*(?:(?:maintenant|ensuite|puis|d['’]abord)[,]?\\s+)*(?:je vais|nous allons|on va|je dois|nous devons|il faut)\\s+(?:(?:maintenant|ensuite|d['’]abord|aussi|encore)\\s+)*",
  ),
  looking: opening(`(?:${LOOKING})\\p{L}*`),
  blocked: words(
    "bloquée?s?|en attente (?:de|d['’])|j['’]attends|nous attendons|(?:ne peux|ne peut|ne pouvons|impossible de) .{0,40}(?:continuer|accéder|connecter|installer|publier|terminer|trouver|poursuivre)|impossible d['’]\\p{L}+|pas d['’]accès|accès refusé|permission refusée|besoin de (?:votre|ta|ton|vos|tes)|pouvez-vous (?:confirmer|fournir|préciser)|peux-tu (?:confirmer|fournir|préciser)|échoue toujours",
  ),
  finding: words(
    "la (?:vraie )?cause|le (?:vrai )?(?:problème|bug) (?:est|était|vient|venait)|l['’]erreur (?:est|était|vient|venait)|il s['’]avère|vient du fait|découvert que|causée?s? par",
  ),
  hedge: words("peut-être|probablement|semble(?:nt)?|pourrait|je pense|je crois|sans doute"),
  nextLabel: words("prochaines? étapes?|étapes? suivantes?|à faire|reste à faire|il reste|points? ouverts?|suite"),
  leftLabel: words(
    "(?:il )?reste(?:nt)?(?: à faire)?|à faire|points? ouverts?|(?:tâches? )?en suspens|encore ouverts?",
  ),
  planLabel: words(
    "(?:mon|le|notre) plan|plan ?:|je vais|nous allons|(?:deux|trois|quatre|cinq|six|\\d) (?:étapes|parties|phases|tâches)",
  ),
  after: between("(?:et\\s+)?(?:puis|ensuite|après cela|après ça|enfin)"),
};
