/** Cues of Portuguese. */

import { between, type CueTable, cue, only, opening, words } from "./cue-table.ts";

const PAST =
  "adicionad[oa]s?|ajustad[oa]s?|alterad[oa]s?|aplicad[oa]s?|atualizad[oa]s?|cancelad[oa]s?|concluíd[oa]s?|configurad[oa]s?|convertid[oa]s?|" +
  "corrigid[oa]s?|criad[oa]s?|enviad[oa]s?|escrit[oa]s?|excluíd[oa]s?|feit[oa]s?|gerad[oa]s?|implantad[oa]s?|implementad[oa]s?|instalad[oa]s?|" +
  "movid[oa]s?|publicad[oa]s?|removid[oa]s?|renomead[oa]s?|reservad[oa]s?|resolvid[oa]s?|salv[oa]s?|substituíd[oa]s?|terminad[oa]s?|testad[oa]s?|traduzid[oa]s?|verificad[oa]s?";
const PRETERITE =
  "adicionei|ajustei|alterei|apliquei|atualizei|cancelei|concluí|configurei|corrigi|criei|enviei|escrevi|gerei|implementei|instalei|movi|publiquei|removi|renomeei|reservei|resolvi|salvei|substituí|terminei|testei|traduzi|verifiquei|corrigimos|criamos|implementamos|terminamos";

/** Whoever only looks, tries or tells chooses nothing that lasts. */
const LOOKING =
  "verific|olh|le[ri]|abr|busc|procur|test|execut|analis|explic|mostr|ajud|dar|tent|começ|continu|examin|explor|ver|consult|diz|faz|ser|ter";

export const PORTUGUESE: CueTable = {
  request: words(
    "por favor|você pode|pode(?:s|ria)?|podemos|quero|queria|gostaria|preciso|precisamos|temos que|é preciso|vamos|deve(?:mos|ria)?|adicione|adiciona|corrija|corrige|crie|cria|escreva|escreve|faça|faz|altere|mude|remova|apague|substitua|traduza|verifique|teste|execute|rode|procure|encontre|explique|mostre|ajude|prepare|coloque|migre|analise|resuma|use|instale|compare|revise|redija|planeje|atualize|gere|implemente",
  ),
  assent: only(
    "sim|não|ok|okay|certo|tá|tá bom|está bem|perfeito|muito bem|bom|ótimo|legal|obrigad[oa]|muito obrigad[oa]|exato|isso|claro|pode (?:ir|continuar|seguir)|continue|continua|prossiga|siga|faça isso|entendi|entendido|olá|oi|de novo|pronto|por favor|como vai",
  ),
  constraint: words(
    "deve|devem|nunca|jamais|sempre|só|somente|apenas|não (?:mude|altere|use|toque|mexa|pode|deve|devem|quero|é permitido|\\p{L}+e)|sem|evite|evita|prefiro|preferimos|no (?:máximo|mínimo)|pelo menos|é preciso|em vez de|ao invés de|garanta|certifique-se|importante|proibido|obrigatório|mantenha",
  ),
  chosen: words(
    "(?:foi|ficou) (?:decidido|combinado|acordado|definido)|decidimos|decidi|decidiu|(?:a|nossa|minha) decisão (?:é|foi)|escolhemos|escolhi|escolheu|optamos|optei|optou|combinamos|ficamos com|fico com|vamos (?:ficar )?com|vou com",
  ),
  commit: words(
    "(?:usaremos|usarei|vamos (?:usar|manter|deixar|guardar)|vou (?:usar|manter|deixar|guardar)|manteremos|mantemos|deixamos|evitaremos|mudamos (?:para|de)|trocamos|mudaremos para|(?:quero|gostaria de) (?:usar|utilizar|manter|escolher|ficar com)|escolho)",
  ),
  means: words(
    `(?:vou|vamos|devemos|precisamos|preciso|convém) (?!${LOOKING})\\p{L}+[aei]r|(?!${LOOKING})\\p{L}+(?:arei|erei|irei|aremos|eremos|iremos)`,
  ),
  remedy: words(
    "a (?:melhor )?(?:solução|estratégia) é|a correção (?:é|consiste)|^(?:melhor )?(?:solução|decisão):(?= \\p{L})",
  ),
  contrast: words(
    "(?:usaremos|usarei|vamos|vou|prefiro|preferimos|mudamos|mantemos|\\p{L}+(?:aremos|eremos|iremos))(?![\\p{L}]).{1,160} (?:em vez d(?:e|isso)|ao invés d(?:e|isso)|em lugar d(?:e|isso))|^(?:em vez de|ao invés de|em lugar de) .{3,160},",
  ),
  pick: opening("(?:use|usa|pegue|escolha|fique|mantenha)(?![\\p{L}])|[oa] [^,.]{2,40}, (?=porque|pois|já que)"),
  against: words("em vez de|ao invés de|em lugar de"),
  open: cue(
    `^se(?![\\p{L}])|${words("ou (?:então|podemos|pode)|seja(?![\\p{L}]).{1,120} seja|talvez|provavelmente|possivelmente|(?:não|ainda não)(?: \\p{L}+){0,2} (?:decidi\\p{L}*|escolhi\\p{L}*|decidido|escolhido)|(?:pode[ms]?|poderia[ms]?|deveria[ms]?)|(?:é preciso|falta|temos que) (?:decidir|escolher)|alternativamente").source}`,
  ),
  choice: words(
    "(?:devo|devemos|desejam?|quer(?:em)?|prefere[ms]?|gostaria|qual|quais|que opção|tudo bem|pode ser)|ou (?:prefere|melhor)",
  ),
  reason: words("porque|pois|já que|para que|para (?:evitar|não)|devido a|uma vez que|visto que|por causa"),
  done: cue(
    `^(?:${PAST})(?![\\p{L}\\p{N}]|:)|${words(`(?:foi|foram|está|estão|ficou|ficaram|tenho|temos)(?: já| agora| também)? (?:${PAST})|${PRETERITE}|(?:testes?|compilação|build)(?![\\p{L}\\p{N}]).{0,40}(?:passam|passa|passaram|passou|verde)|(?:agora|já) funciona|com sucesso|está pronto`).source}`,
  ),
  finished: words(
    "(?:está|estão|foi|foram|ficou|ficaram)(?: já| agora)? (?!relacionad|basead|limitad|previst)\\p{L}+(?:ad|id)[oa]s?(?=[.!]*$|\\s+\\(|\\s{2,})",
  ),
  undone: words(
    "não|espero|nenhuma?|mas|porém|contudo|ainda|embora|deveria|deveriam|poderia|seria|será|serão|vou|vamos|se|quando|antes|quase|parcialmente|falh\\p{L}*|erro|problema é|preciso|falta|tent\\p{L}*|nunca",
  ),
  next: words(
    "próxim[oa]s?|vou|vamos|a seguir|em seguida|depois|falta(?:m)?|resta(?:m)?|pendentes?|precisamos|preciso|temos que|agora (?:vou|vamos)",
  ),
  lead: opening(
    "(?:(?:perfeito|certo|ótimo|bom|ok)[!.,]*\\s+)*(?:(?:agora|depois|em seguida|primeiro|a seguir)[,]?\\s+)*(?:eu )?(?:vou|vamos|preciso|precisamos|tenho que|temos que)\\s+",
  ),
  looking: opening(`(?:${LOOKING})\\p{L}*`),
  blocked: words(
    "bloquead[oa]s?|aguardando|à espera de|esperando|(?:não posso|não consigo|não podemos|não conseguimos|impossível) .{0,30}(?:continuar|prosseguir|acessar|conectar|instalar|publicar|terminar|encontrar|implantar)|sem acesso|acesso negado|permissão negada|(?:preciso|precisamos|falta) (?:d[ae] sua|do seu|que você|da (?:aprovação|senha|chave))|(?:pode|poderia) (?:confirmar|fornecer|informar)|continua falhando",
  ),
  finding: words(
    "a causa|o (?:verdadeiro )?(?:problema|erro|defeito) (?:é|era|está|estava|vem|vinha)|descobri(?:mos)? que|acontece que|deve-se a|devia-se a|causad[oa] por",
  ),
  hedge: words("talvez|provavelmente|parece|poderia|acho que|possivelmente"),
  nextLabel: words("próximos? passos?|pendentes?|a fazer|falta|pendências|restante"),
  leftLabel: words("(?:tarefas )?pendentes?|pendências|a fazer|por fazer|falta(?:m)?|restantes?|em aberto"),
  planLabel: words(
    "(?:meu|o|nosso) plano|plano:|vou|vamos|(?:dois|duas|três|quatro|cinco|seis|\\d) (?:passos|etapas|partes|fases|tarefas)",
  ),
  after: between("(?:e\\s+)?(?:depois|em seguida|então|finalmente|por fim|por último)"),
};
