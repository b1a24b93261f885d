/** Cues of English. */

import { type CueTable, only, opening, words } from "./cue-table.ts";

const ACTIONS =
  "add|adjust|analy[sz]e|apply|assess|audit|book|calculate|collect|compile|compute|build|bump|cancel|change|check|clean|commit|compare|configure|convert|create|debug|" +
  "delete|deploy|describe|design|document|download|draft|drop|edit|evaluate|estimate|enable|explain|export|extend|extract|fetch|figure out|find|gather|identify|finish|fix|format|" +
  "generate|get|give|help|implement|improve|include|install|integrate|investigate|keep|list|look|make|merge|migrate|move|" +
  "open|optimi[sz]e|outline|organi[sz]e|plan|port|prepare|proceed with|propose|provide|publish|push|put|rank|rate|recommend|repair|read|rebase|refactor|release|remove|rename|" +
  "replace|report|research|revert|review|revise|rewrite|run|search|send|set|show|shorten|simplify|solve|split|start|" +
  "summari[sz]e|switch|test|translate|try|turn|tweak|update|upgrade|use|verify|wire|work on|write";

const PAST =
  "added|adjusted|analy[sz]ed|answered|applied|booked|built|cancel(?:l)?ed|changed|cleaned up|calculated|closed|collected|committed|compared|compiled|completed|configured|converted|" +
  "corrected|created|deleted|deployed|documented|downloaded|drafted|edited|enabled|disabled|extracted|finished|fixed|gathered|generated|implemented|" +
  "installed|merged|migrated|moved|outlined|ported|published|pushed|ranked|rated|repaired|reviewed|rebased|refactored|released|removed|renamed|replaced|resolved|" +
  "restored|reverted|rewrote|rewritten|saved|sent|set up|shortened|simplified|split|switched|tested|translated|updated|" +
  "upgraded|verified|wired|wrote|written";

const ADVERB = "(?: \\w+ly| now| also| just| already| all)?";
const GOOD =
  "(?:wait|hmm?|oh|ah|actually|interesting|i see|got it|found it|understood|of course|absolutely|certainly|perfect|great|excellent|good|nice|right|ok(?:ay)?|done|all done|success|alright|sure|yes)[!.,:;]*[\\s—–-]+";
const ASIDE = "(?:now|also|first|then|just|next|quickly|start by|begin by|try to|go ahead and)";

export const ENGLISH: CueTable = {
  request: new RegExp(
    `(?:^|[.!?,;:…]\\s+|\\n\\s*|- |(?:and|then|now|so|ok|okay|please|to|also|just|hi|hey|hello|oh|ah+|hm+|omf?g|wtf|dude|man|no|yes|yeah|well|alright|sorry|actually|maybe|next|first|finally|again|instead|great|good|cool|nice|perfect|thanks|or)[,!]?\\s+)(?:${ACTIONS})(?![\\p{L}\\p{N}])|` +
      words(
        "please|(?:can|could|would|will) (?:you|we)|let'?s|let’s|i(?:'d| would)? (?:want|need|like)|we (?:need|want|should|have to)|needs? to|should|must|help me|i'm looking for",
      ).source,
    "iu",
  ),
  assent: only(
    "yes|yep|yeah|yup|y|no|nope|ok|okay|k|sure|right|correct|exactly|agreed|fine|good|great|nice|cool|perfect|awesome|excellent|" +
      "thanks?(?: you)?(?: so much| very much)?|thx|ty|please|continue|proceed|go|go on|go ahead|carry on|keep going|next|do it|" +
      "sounds good|looks good|lgtm|makes sense|got it|i see|hi|hello|hey|done|wtf|hm+|oh|well|dude|try again|again|retry|" +
      "how'?s it going|how is it going|are you there|still there|what'?s up|any news|any progress|status",
  ),
  constraint: new RegExp(
    "^(?:please |and |but |also |so |just |ok,? |no,? |again,? )*(?:don'?t|don’t|do not|never|always|use|keep|stick (?:to|with)|make sure|be sure|ensure|avoid|only|no (?:new|more|extra|external|other|need|changes?))(?![\\p{L}\\p{N}])|" +
      words(
        "must(?: not|n't)?|mustn’t|never|always|i(?:'d| would)? prefer|we prefer|avoid|no (?:more|later|longer|less) than|at (?:most|least)|make sure|ensure|not allowed|instead of|rather than|has to|have to|needs? to be|should(?: not|n't|n’t)?|without (?:changing|breaking|using|adding|touching)|required|off[- ]limits|deadline|it's important|it is important",
      ).source,
    "iu",
  ),
  decision: new RegExp(
    words(
      "(?:i|we)(?:'ve|’ve| have)?(?: now| also)? (?:decided|chose|chosen|opted|settled|agreed|picked)|(?:i|we)(?:'ll|’ll| will) (?:use|go with|keep|stick (?:to|with)|switch to|adopt|drop|skip|store)(?! (?:that|this|it|them|the following)(?![\\p{L}]))|let(?:'|’)?s (?:use|go with|keep|stick (?:to|with)|switch to|adopt|drop)|(?:i'm|we're|i’m|we’re|am|are)? ?going with|decided (?:to|on|against|that)|it was decided|settled on|opted for|agreed (?:on|to|that)|the decision (?:is|was)|(?:best|right|simplest|cleanest|safest|better|proper) (?:approach|way|solution|fix|option|choice) (?:is|was)|the (?:approach|solution|strategy) (?:is|was|will be)|the fix (?:is|was) to|the plan is to|switch(?:ed|ing) (?:from .{1,60} )?to",
    ).source +
      "|" +
      words(
        "(?:^(?:please |now )?(?:use|replace|keep|store|return|prefer|go|pick|make|treat|switched|replaced|chose|kept|preferred)|(?:to|should|we|i|just|and|will|always|let(?:'|’)s|(?:'|’)ll)\\s(?:use|replace|keep|store|return|prefer|go|pick|make|treat|switched|replaced|chose|kept|preferred))(?![\\p{L}\\p{N}]).{0,120} (?:instead of|rather than)",
      ).source,
    "iu",
  ),
  reason: words("because|since|so that|due to|in order to|the reason|given that|as (?:it|this|that|they|we)"),
  done: new RegExp(
    `^(?:${GOOD})*(?:(?:i|we)(?:'ve|’ve| have)?${ADVERB} )?(?:successfully )?(?:${PAST})(?![\\p{L}\\p{N}:])|(?:[,;:—–-]|and|then|so) (?:i|we)(?:'ve|’ve| have)?${ADVERB} (?:${PAST})(?![\\p{L}\\p{N}])|` +
      words(
        `(?:has|have)${ADVERB} been${ADVERB} (?:${PAST})|(?:is|are|was|were)${ADVERB} (?:complete|completed|in place|done|live|fixed|finished|committed|pushed|deployed|merged|released|published|resolved)|(?:is|are) (?:now|all|already) (?:${PAST})|(?:tests?|checks?|suite|build|lint(?:er|ing)?|type ?check|compilation|ci|everything)(?![\\p{L}\\p{N}]).{0,40} (?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|clean)|(?:push|build|deploy(?:ment)?|release|migration|rebase|merge) (?:succeeded|is complete|completed)|works now|now (?:works|uses|renders|returns|supports|handles|passes|shows)|(?:have|has) (?:finished|completed)`,
      ).source,
    "iu",
  ),
  undone: new RegExp(
    `^(?:test|check|verify|ensure|make sure|run|confirm|see|try)(?![\\p{L}\\p{N}])|${words("but|however|although|though|still|should|would|could|can|will|might|may|if|whether|unless|until|once|when|not|cannot|\\w+n['’]t|never|nearly|almost|partially|issue is|problem is|trying|tries|attempt(?:ed|ing)?|wants?|needs?|to be|wrong(?:ly)?|broke|mistake|accidentally|yet|pending|todo|fail(?:s|ed|ure|ures|ing)?|let me|i'?ll|i’ll|let'?s|let’s|step \\d+|before|previously|originally|interrupted|aborted|timed out").source}`,
    "iu",
  ),
  next: words(
    "next (?:steps?|up|task|is|i|we)|let me|i'?ll|i’ll|i will|let'?s|let’s|now i(?:'ll| will| need)|we(?:'ll|’ll| will)|need(?:s)? to|to ?do|remaining|remains? to|still (?:need|have|open)|going to|we should|should now|follow[- ]up|plan to|action item|you (?:should|can now|need to)|tomorrow",
  ),
  lead: opening(
    `(?:${GOOD})*(?:(?:now|next|then|first|finally|so|and)[,:]?\\s+)*(?:let me|i(?:'|’)?ll|i will|let(?:'|’)?s|i(?:'|’)m going to|i am going to|we(?:'|’)ll|i need to|i have to|we need to|i want to)\\s+(?:${ASIDE}\\s+)*|now,? (?=(?:${ACTIONS})(?![\\p{L}\\p{N}]))`,
  ),
  blocked: words(
    "blocked|waiting (?:for|on)|(?:cannot|can'?t|can’t|unable to) (?:proceed|continue|go on|access|connect|log ?in|push|deploy|publish|finish|complete|reach|reproduce|find|install)|stuck|permission (?:is )?denied|access (?:is )?denied|no (?:access|permission)|(?:need|require)s? (?:your|the user's|an? (?:admin|approval|decision))|(?:need|require)s? .{1,60} from (?:you|them|the)|could you (?:please )?(?:provide|confirm|tell|send|share)|please (?:provide|confirm|tell|send|share)|still fail(?:s|ing)|is down",
  ),
  finding: words(
    "root cause|the (?:real |actual |underlying |main |core )?(?:problem|issue|bug|cause|reason|culprit) (?:is|was)|turn(?:s|ed) out|discovered that|found that|it means that|caused by",
  ),
  hedge: words("maybe|perhaps|might|i bet|likely|probably|seems?|could be|i think|i guess|not sure|appears?|suppose"),
  nextLabel: words(
    "next|next (?:steps?|up|actions?)|remaining(?: work| tasks?| steps?)?|to[- ]?do(?:s| list)?|follow[- ]ups?|still (?:open|to do|missing)|open (?:items|tasks|points)|action items?|what's left|left to do",
  ),
};
