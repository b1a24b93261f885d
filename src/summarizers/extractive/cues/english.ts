/** Cues of English. */

import { ONCE } from "../text/quick-expressions.ts";
import { between, type CueTable, cue, only, opening, words } from "./cue-table.ts";

const ACTIONS =
  "add|adjust|analy[sz]e|answer|apply|assess|audit|book|calculate|collect|compile|compute|build|bump|cancel|change|check|clean|commit|compare|configure|convert|create|debug|" +
  "delete|deploy|describe|design|determine|document|download|draft|drop|edit|evaluate|estimate|enable|explain|export|extend|extract|fetch|figure out|find|gather|identify|finish|fix|format|" +
  "generate|get|give|help|implement|improve|include|install|integrate|investigate|keep|list|look|make|merge|migrate|move|" +
  "open|optimi[sz]e|outline|organi[sz]e|plan|port|prepare|proceed with|produce|propose|provide|publish|push|put|rank|rate|recommend|repair|read|rebase|refactor|release|remove|rename|" +
  "replace|report|research|revert|review|revise|rewrite|run|search|send|set|show|shorten|simplify|solve|split|start|" +
  "summari[sz]e|switch|test|translate|try|turn|tweak|update|upgrade|use|verify|wire|work on|write";

const PAST =
  "added|adjusted|analy[sz]ed|answered|applied|booked|built|cancel(?:l)?ed|changed|cleaned up|calculated|closed|collected|committed|compared|compiled|completed|configured|converted|" +
  "corrected|created|deleted|deployed|documented|downloaded|drafted|edited|enabled|disabled|extracted|finished|fixed|gathered|generated|implemented|" +
  "installed|merged|migrated|moved|outlined|ported|published|pushed|ranked|rated|repaired|reviewed|rebased|refactored|released|removed|renamed|replaced|resolved|" +
  "restored|reverted|rewrote|rewritten|saved|sent|set up|shortened|simplified|split|switched|tested|translated|updated|" +
  "upgraded|verified|wired|wrote|written";

const PARTICIPLE =
  "(?:\\p{L}+ed|bought|brought|built|chosen|cut|done|drawn|driven|frozen|held|hung|kept|laid|left|lent|lit|made|paid|put|rebuilt|redone|rewritten|sent|set|shown|shut|sold|spent|split|swept|taken|taught|thrown|told|won|written)";
/** What a thing is like, not what became of it. */
const STATES =
  "(?:affected|allowed|associated|authori[sz]ed|based|broken|called|complicated|concerned|connected|defined|deprecated|designed|different|dependent|eligible|expected|frequent|given|hidden|important|intended|interested|involved|known|limited|located|meant|named|needed|open|outdated|overbooked|permitted|planned|present|recommended|related|required|scheduled|stuck|sufficient|supported|supposed|tired|unaffected|unchanged|undefined|unlimited|unsupported|unused|used|wanted|worried|wrong)(?![\\p{L}])";
/** What only led to something, or to nothing. */
const ATTEMPTS =
  "(?:accessed|attempted|been|begun|considered|decided|determined|encountered|failed|fetched|forgotten|got|hoped|identified|included|learned|listed|located|looked|met|needed|noted|noticed|observed|provided|reached|read|realized|received|retrieved|seen|started|stopped|thought|tried|understood|wanted)(?![\\p{L}])";
const ADVERB = "(?: \\w+ly| now| also| just| already| all)?";
const GOOD =
  "(?:wait|hmm?|oh|ah|actually|interesting|i see|got it|found it|understood|of course|absolutely|certainly|perfect|great|excellent|good|nice|right|ok(?:ay)?|done|all done|success|alright|sure|yes)[!.,:;]*[\\s—–-]+";
const ASIDE = "(?:now|also|first|then|just|next|quickly|start by|begin by|try to|go ahead and)";

/** What a speaker sets out to do. */
const INTENT =
  "(?:i|we)(?:'ll|’ll| will|'d rather|’d rather| would rather|'m going to|’m going to|'re going to|’re going to| are going to| am going to| should)|let(?:'|’)?s|let me";
const ASIDE_BRIEF = "(?: also| just| only| now| simply| still| instead| then| therefore| not)?";
/** Whoever only looks, tries or tells chooses nothing that lasts. */
const LOOKING =
  "analy[sz]e|answer|ask|attempt|check|compare|confirm|describe|discuss|examine|execute|explain|explore|fetch|find|gather|get|give|identify|inspect|investigate|list|locate|look|navigate|open|provide|query|read|recommend|rerun|research|retry|review|run|scan|search|see|share|show|suggest|summari[sz]e|tell|test|try|understand|use(?= .{1,60} to (?:check|find|get|look|make|search|see)(?![\\p{L}]))|verify|view|visit|watch";
/** The same where only the commonest follow: every long list takes its time to compile, and so does every class of letters of all scripts: here `[a-z]` will do. */
const LOOKING_BRIEF = "check|find|get|look|make|read|run|search|see|test|try|verify|view";
/** Nor does whoever names nothing to make. */
const VAGUE =
  "address|be|begin|calculate|come|compute|connect|continue|do|ensure you|focus|go|have|help|instead|know|let|need|proceed|remember|return to|start|stop|submit|take|talk|think|transfer|wait|walk|work";
const meansOf = (others: string): string =>
  `(?:(?:i|we)(?:'ll|’ll| will|'m going to|’m going to|'re going to|’re going to| am going to| are going to| should| need to| have to| must)${others})(?: also| just| only| now| simply| still| then| therefore| first)? (?!(?:${LOOKING}|${VAGUE}|not|never|always|also|just|only|now|simply|still|then|therefore|first|probably)(?![\\p{L}]))\\p{L}+`;
const MEANS = meansOf("");
/** "Let me fix it with a rope instead" is at work, not at a choice. */
const AT_WORK =
  "let me (?:also |just |now |first )?(?:fix|try|correct|repair|update|change|adjust|rerun|retry|redo|edit|check|look|read|see|search|run|view|find|wait|test|use(?= .{1,60} (?:tools?|commands?)(?![a-z])))";
/** What is cleared away or sent off with a reason follows from the work, and is no way that was taken. */
const CLEARING =
  "remove|delete|clean|commit|push|install|restart|rebuild|fix|correct|repair|update|change|adjust|redo|edit|know";
/** What is to be changed, where it is said how. */
const CHANGES = "change|convert|extend|modify|refactor|replace|restructure|rework|rewrite|switch|wrap";
/** One way is closed, so another is taken: there even what is only told was chosen. */
const MAKESHIFT =
  "^since (?=[^,]{3,160}(?:n['’]t|not|no|unavailable|issues?|fail(?:s|ed|ing)?)(?![a-z])).{5,240}, (?:let me|i(?:'|’)ll|i will) (?:provide|give|offer|answer)(?![a-z])|^(?:however|instead),? i (?:can|will) (?:provide|give|offer)(?![a-z]).{3,200} based on (?:common|general|typical|my|what)";
/** What follows is the next call, not the way. */
const NOT_NEXT = "(?<!(?:now|next|then|first|also|finally|still),? )";
const PURPOSES =
  "fix|solve|resolve|avoid|prevent|address|handle|support|keep|allow|make|reduce|preserve|ensure|enable|improve|simplify|speed up|stay";
const CHOOSER =
  "(?:i|we|you|they|(?:the )?(?:user|team|client|customer))(?:'ve|’ve| have| has)?(?: now| also| already| finally| then| explicitly)?";
const CHOSE = "(?:decided|chose|chosen|opted|settled (?:on|for)|agreed (?:on|to|that|with)|picked|went with|gone with)";
/** What somebody with a say wants taken of several. */
const PICKED = `(?:i(?:'d|’d| would) like|i want) to (?:go (?:ahead )?with|use(?! .{1,60} to (?:${LOOKING_BRIEF})(?![a-z])|.{1,120} or )|keep|choose|pick|stick (?:to|with)|stay with|switch to|pay (?:with|by))|i choose(?= (?!to(?![a-z])))`;
/** "Let's proceed with that" says nothing; with what it does. */
const PROCEED = `(?:let(?:'|’)?s|i(?:'|’)ll|i(?:'d|’d| would) like to)(?: just)? (?:proceed with|go ahead (?:with|and)) (?!(?:the|this|that|these|those|it)(?: [a-z]+)?[.!]*$|(?:${LOOKING_BRIEF})(?![a-z]))[a-z]+`;
/** What is wanted once another way turned out to be closed. */
const OTHERWISE = `^in that case,? (?:please|let(?:'|’)?s|just|i(?:'|’)ll|i(?:'d|’d| would) (?:like|prefer|rather))(?! (?:${LOOKING_BRIEF})(?![a-z])) [a-z]+|(?:let(?:'|’)?s|i(?:'d|’d| would) (?:like|prefer|rather))(?![a-z]).{3,120} instead(?=[,.;!]|$)|i think (?:we|it|the|our|this|that)(?![a-z]).{0,60} (?:should|needs?)(?= (?!(?:to )?(?:be (?:fine|fixed|ok(?:ay)?|good)|have|pass|work|${LOOKING_BRIEF})(?![a-z])))`;
/** So is what was left undone, or stays. */
const UNTOUCHED =
  "^(?:i|we) (?:deliberately |intentionally )?(?:did not|didn['’]t) (?:add|bump|change|include|introduce|move|remove|rename|rewrite|touch)(?![a-z])(?!.{0,200} (?:could|can(?:not|['’]t)|found|find|see|know)(?![a-z])).{3,160} (?:because|since)|^(?:i(?:['’]m| am)|we(?:['’]re| are)) (?:keeping|leaving|reusing)(?! (?:track|an eye))(?![a-z]).{3,160} (?:because|since|so (?:that|there))|^we keep(?! (?:getting|hitting|seeing|track))(?![a-z]).{3,160} (?:because|since)|^(?:i|we)(?:['’]ve)? (?:implemented|built|stored|kept) .{3,140} (?:instead of|rather than)";
/** With a reason beside it, such a deed was a choice. */
const CHOSEN_DEEDS = "kept|used|stored|switched|replaced|moved|left|skipped|avoided|preferred";

export const ENGLISH: CueTable = {
  request: cue(
    `(?:^|[.!?,;:…]\\s+|\\n\\s*|- |(?:and|then|now|so|ok|okay|please|to|also|just|hi|hey|hello|oh|ah+|hm+|omf?g|wtf|dude|man|no|yes|yeah|well|alright|sorry|actually|maybe|next|first|finally|again|instead|great|good|cool|nice|perfect|thanks|or)[,!]?\\s+)(?:${ACTIONS})(?![\\p{L}\\p{N}])|` +
      words(
        "please|(?:can|could|would|will) (?:you|we)|let'?s|let’s|i(?:['’]d| would)?(?: also| really| still| just)? (?:want|need|like)|we (?:need|want|should|have to)|needs? to|should|must|help me|i['’]m(?: also)? looking for|i was hoping to",
      ).source,
  ),
  assent: only(
    "yes|yep|yeah|yup|y|no|nope|ok|okay|k|sure|right|correct|exactly|agreed|fine|good|great|nice|cool|perfect|awesome|excellent|" +
      "thanks?(?: you)?(?: so much| very much)?|thx|ty|please|continue|proceed|go|go on|go ahead|carry on|keep going|next|do it|" +
      "sounds good|looks good|lgtm|makes sense|got it|i see|hi|hello|hey|done|wtf|hm+|oh|well|dude|try again|again|retry|" +
      "how'?s it going|how is it going|are you there|still there|what'?s up|any news|any progress|status",
  ),
  constraint: cue(
    "^(?:(?:please|and|but|also|so|just|ok|okay|no|yes|again|well|oh|ah|ugh|omf?g|wtf|dude|man|hey|now|then|actually)[,!.…]* )*(?:don'?t|don’t|do not|never|always|use|keep|stick (?:to|with)|make sure|be sure|ensure|avoid|only|no (?:new|more|extra|external|other|need|changes?))(?![\\p{L}\\p{N}])|" +
      words(
        "must(?: not|n't)?|mustn’t|(?:nobody|no one) (?!(?:cares|gets|has|is|knows|likes|needs|says|seems|wants|was)(?![\\p{L}]))\\p{L}+s (?:to|on|in|into|at|from|over|without|the|any|our|this|that)|please (?:mind|note|remember|keep in mind|bear in mind)(?=[:,]| that)|never|always|i(?:'d| would)? prefer|we prefer|avoid|no (?:more|later|longer|less) than|at (?:most|least)|make sure|ensure|not allowed|instead of|rather than|has to|have to|needs? to be|should(?: not|n't|n’t)?|without (?:changing|breaking|using|adding|touching)|required|off[- ]limits|deadline|it's important|it is important",
      ).source,
  ),
  chosen: words(
    `${CHOOSER} ${CHOSE}|^(?:(?:i|we)(?:['’]ve)? (?:deliberately |intentionally )?)?(?:${CHOSEN_DEEDS})(?![\\p{L}]).{5,200} (?:because|since|so (?:that|there))|(?:${UNTOUCHED})|decided (?:to|on|against|that)|it was (?:decided|agreed)|(?:the|our|my) (?:decision|choice) (?:is|was)|(?:${INTENT}|i(?:'|’)m|we(?:'|’)re|i am|we are) (?:go(?:ing)? (?:ahead )?with(?!out)|stick(?:ing)? (?:to|with)|stay(?:ing)? with|opt(?:ing)? for|settl(?:e|ing) (?:on|for))|(?:let(?:'|’)?s|we(?:'|’)ll|we will) (?:use|adopt|keep|store)(?= (?:(?! to ).){1,80} (?:for|as) )|option \\w+ (?:is (?:the )?(?:best|better|right|clean|simpl|safe)\\p{L}*|makes (?:more|most|the most) sense)`,
  ),
  commit: words(
    `(?:${INTENT})${ASIDE_BRIEF} (?:use(?! .{1,60} to (?:make|${LOOKING})(?![\\p{L}]))|keep(?! \\p{L}+ing)|skip|avoid|leave|store|put|switch to|adopt|drop|split|treat|return|start with|pass|reuse|rely on|build on|take(?! (?:a|an|your|my|some|it|time|care)(?![\\p{L}]))|do without)|${PICKED}|${PROCEED}|${OTHERWISE}`,
  ),
  means: words(meansOf(`|let me(?! (?:also |just |now |first )?(?:${CLEARING})(?![a-z]))`)),
  remedy: words(
    `(?:best|right|simplest|cleanest|safest|better|proper|cheapest) (?:approach|solution|fix|design|option)(?: here| now)? (?:is|was) to|(?:the|our|my) (?:\\p{L}+ )?(?:fix|solution|remedy|workaround)(?: here| now| then)? (?:is|was) (?:to|by)|(?:suggested|proposed|chosen) (?:fix|solution|approach|change|design) (?:is|was)|^(?:the|our|my|suggested|proposed) (?:\\p{L}+ )?(?:fix|solution):(?= \\p{L})|^(?:(?:best|better|chosen|cleanest|final|proper|right|safest|simplest) (?:approach|design|fix|option|solution)|solution|(?:design )?decision):(?= [a-z])|${NOT_NEXT}(?:i|we) (?:need to|should|have to|must) (?:${CHANGES})(?![a-z]).{4,200} (?:to|by|with) (?!(?:${LOOKING_BRIEF})(?![a-z]))[a-z]+|should (?!(?:now|also|still|already|work|pass|have|not)(?![a-z]))(?:(?! (?:since|because|which|but) ).){3,140}(?: (?:instead of|rather than)|, not(?= (?!sure|only|just|yet|even|because|that|necessarily)))|(?:i|we)(?: now| only)? (?:call|keep|pass|return|send|store|treat|use)(?![a-z]).{3,140} (?:instead of|rather than)|${MAKESHIFT}|^instead of .{3,160}, (?:it|this|that|the)(?![a-z]).{0,80} (?:should|must|needs? to|will)`,
  ),
  contrast: words(
    `(?!${AT_WORK})(?:${INTENT}|i(?:'|’)m|we(?:'|’)re|i am|we are)(?![\\p{L}]).{1,160} (?:instead of|rather than|in favou?r of)|(?!${AT_WORK})(?:${INTENT})(?! (?:also |just |now )?(?:try|check|look|read|see|search|run|view|find|wait|test)(?![\\p{L}])).{8,200} instead(?=[.!:]?$)|${MEANS}(?![\\p{L}]).{3,160}(?: without (?:\\p{L}+ ){0,2}\\p{L}+ing|, not(?= (?!sure|only|just|yet|even|because|that|necessarily)))|(?:let me|let(?:'|’)?s|i(?:'|’)ll|i will) .{3,80} and instead (?!(?:${LOOKING_BRIEF})(?![a-z]))[a-z]+|^(?:so |and )?(?:rather than|instead of) .{3,160}, (?:i|we|let)`,
  ),
  pick: opening(
    "(?:(?:please|ok(?:ay)?|yes|no|then|so|alright)[,.!]? )*(?:(?:go (?:with|for)|take|pick|choose|use|stick (?:to|with)|keep|leave)(?![\\p{L}])|the [^,.]{2,40}, (?=because|since))",
  ),
  against: words("rather than|instead of|in favou?r of|over"),
  open: cue(
    `^(?:if|unless|should you|in case)(?![\\p{L}])|${
      words(
        "either(?![\\p{L}]).{1,120} or|or (?:else )?to|or (?:we|you|i) (?:can|could|might)|(?:should|shall|could) (?:we|i)|whether|alternatively|maybe|perhaps|might|probably|not sure|(?:\\p{L}+n['’]t|not|yet to|never)(?: \\p{L}+)? (?:decided?|chosen|choose|settled|agreed?)|undecided|to be decided|before (?:deciding|choosing)|(?:can|could|may) (?:also )?(?:choose|decide|opt|pick|go with)|you (?:can|could|should|may|might|would)|(?:need|have) to (?:decide|choose)",
      ).source
    }`,
  ),
  choice: words(
    "(?:should|shall) (?:i|we)(?! (?:continue|proceed|go (?:on|ahead)|keep going|check|look|run|show|explain)(?![\\p{L}]))|would you (?:like|prefer|rather)|do you (?:want|prefer|agree)|(?:is|are) (?:that|this|it|you) (?:ok(?:ay)?|fine|all right|happy)|which (?:one|option|approach|way|of|do|would|should|\\p{L}+ (?:do|would|should))|or should|or would|prefer",
  ),
  reason: words(
    `because|since|so (?:that|there(?:['’]s| is| are))|so (?:[^,.;]{1,60} )(?:can|could|will|won['’]t|would|do(?:es)?n['’]t|never|no longer|stays?|keeps?|remains?)|due to|in order to|to (?:avoid|prevent)|^to (?:${PURPOSES})|the reason|given that|as (?:it|this|that|they|we)(?! (?:is|are|was|were|stands?)(?: now| today)?(?:[.,;!]|$| but| and))`,
  ),
  done: cue(
    `^(?:${GOOD})*(?:(?:i|we)(?:'ve|’ve| have)?${ADVERB} )?(?:successfully )?${ONCE}(?:${PAST})(?![\\p{L}\\p{N}]|:)|(?:[,;:—–-]|and|then|so) (?:i|we)(?:'ve|’ve| have)?${ADVERB} ${ONCE}(?:${PAST})(?![\\p{L}\\p{N}])|` +
      words(
        `(?:has|have)${ADVERB} been${ADVERB} ${ONCE}(?:${PAST})|(?:is|are|was|were)${ADVERB} (?:complete|completed|in place|done|live|fixed|finished|committed|pushed|deployed|merged|released|published|resolved)|(?:is|are) (?:now|all|already)(?: \\p{L}+ly)? ${ONCE}(?:${PAST})|(?:tests?|checks?|suite|build|lint(?:er|ing)?|type ?check|compilation|ci|everything)(?![\\p{L}\\p{N}]).{0,40} (?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|clean)|(?:push|build|deploy(?:ment)?|release|migration|rebase|merge) (?:succeeded|is complete|completed)|works now|now (?:works|uses|renders|returns|supports|handles|passes|shows)|(?:have|has) (?:finished|completed)`,
      ).source,
  ),
  finished: words(
    `(?:is|are|was|were|has been|have been)(?: now| all| both| already| \\p{L}+ly)* ${ONCE}(?!${STATES})${PARTICIPLE}(?: up| out| down| off| in)?(?: now| again| too| as well| in full| successfully)*(?=[.!]*$|\\s+\\((?!line|see|e\\.g)|\\s{2,})|(?:was|were) (?:\\p{L}+ly )?${ONCE}(?!${STATES})${PARTICIPLE}(?= in (?:under |about |less than )?\\d[\\d.,]* (?:s|ms|seconds?|minutes?|hours?|days?)(?![\\p{L}]))|(?:has|have) been(?: now| all| both| already| \\p{L}+ly)* (?!${STATES}|${ATTEMPTS})${PARTICIPLE}(?=,| and | (?:to|in|on|at|for|with|into|from|as|under)(?![\\p{L}]))|^(?:i|we)(?:'ve|’ve| have)(?: now| also| already| just| \\p{L}+ly)* (?!${ATTEMPTS})${PARTICIPLE}(?= (?:the|a|an|all|both|your|our|its|their|\\d))|(?:i|we)(?:'ve|’ve| have)?(?: now| finally| also)? managed to (?!${LOOKING})\\p{L}+`,
  ),
  undone: cue(
    `^(?:test|check|verify|ensure|make sure|run|confirm|see|try)(?![\\p{L}\\p{N}])|${words("but|however|although|though|still|should|would|could|can|will|might|may|if|whether|unless|until|once|when|not|cannot|\\w+n['’]t|never|nearly|almost|partially|issue is|problem is|trying|tries|attempt(?:ed|ing)?|wants?|needs?|to be|wrong(?:ly)?|broke|mistake|accidentally|yet|pending|todo|fail(?:s|ed|ure|ures|ing)?|let me|i'?ll|i’ll|let'?s|let’s|step \\d+|before|previously|originally|interrupted|aborted|timed out|make sure|please|(?:i|we) hope|(?:is|are|was|were|still) missing|lacks?|(?:quickly|easily|soon) done").source}`,
  ),
  next: words(
    "next (?:steps?|up|task|is|i|we)|next,|remaining (?:work|tasks?|steps?|items?|issues?|points?)|remains? to|still (?:needs?|have|has|open|to do|to be|missing)|left to do|to-?dos?|follow[- ]ups?|plan to|action items?",
  ),
  lead: opening(
    `(?:${GOOD})*(?:(?:now|next|then|first|second|finally|so|and|but|however|instead|meanwhile|additionally)[,:]?\\s+)*(?:to \\p{L}+ [^,.;:]{3,80}, )?(?:let me|i(?:'|’)?ll|i will|let(?:'|’)?s|i(?:'|’)m going to|i am going to|we(?:'|’)ll|we will|we(?:'|’)re going to|we are going to|i need to|i have to|we need to|i want to)\\s+(?:${ASIDE}\\s+)*(?:help you (?:to |with )?)?(?!(?:know|be|always|see you|talk|chat|wait|get back)(?![\\p{L}]))|now,? (?=(?:${ACTIONS})(?![\\p{L}\\p{N}]))`,
  ),
  looking: opening(`(?:${LOOKING})(?![\\p{L}])`),
  blocked: words(
    "blocked|waiting (?:for|on)|(?:cannot|can'?t|can’t|unable to) (?:proceed|continue|go on|access|connect|log ?in|push|deploy|publish|finish|complete|reach|reproduce|find|install|open|load|download|verify|send|start)|stuck|permission (?:is )?denied|access (?:is )?denied|no (?:access|permission)|(?:need|require)s? (?:your|the user's|an? (?:admin|approval|decision))|(?:need|require)s? .{1,60} from (?:you|them|the)|could you (?:please )?(?:provide|confirm|tell|send|share)|please (?:provide|confirm|tell|send|share)|(?:is|are) (?:password[- ]protected|locked)|still fail(?:s|ing)|(?:server|service|site|api|host|network|registry|database|cluster|endpoint|gateway)(?: \\S+)? is down(?! to)",
  ),
  finding: words(
    "root cause|the (?:real |actual |underlying |main |core )?(?:problem|issue|bug|cause|reason|culprit) (?:is|was)|turn(?:s|ed) out|discovered that|found that|it means that|caused by",
  ),
  hedge: words("maybe|perhaps|might|i bet|likely|probably|seems?|could be|i think|i guess|not sure|appears?|suppose"),
  nextLabel: words(
    "next|next (?:steps?|up|actions?)|remaining(?: work| tasks?| steps?)?|to[- ]?do(?:s| list)?(?![-/])|follow[- ]ups?|still (?:open|to do|missing)|open (?:items|tasks|points)|action items?|what's left|left to do",
  ),
  leftLabel: words(
    "(?:work |tasks? |items? )?remaining(?: work| tasks?| steps?| items?)?|still (?:open|to do|missing|outstanding)|open (?:items|tasks|points)|outstanding(?: items| tasks| points)?|what['’]s left|left to do|left open|to[- ]?do(?:s| list)?(?![-/])",
  ),
  planLabel: words(
    "(?:my|the|our) plan|plan:|i(?:'|’)ll|i will|we(?:'|’)ll|we will|i need to|we need to|going to|(?:two|three|four|five|six|\\d) (?:parts|steps|phases|stages|tasks)",
  ),
  after: between("(?:and\\s+)?(?:then|after that|afterwards|finally|lastly)"),
};
