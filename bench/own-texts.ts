/**
 * Passages and records written for this project, in every class the estimator promises to handle. Never part of the fit:
 * the estimator's own test and the check of bench/estimator.ts measure on them.
 */

import { type Random, seeded } from "./random.ts";

export interface OwnText {
  readonly category: string;
  readonly name: string;
  readonly text: string;
}

const PROSE = `The harbour master kept two books. In the first he wrote what the ships declared: so many barrels of herring, so many bolts of cloth, the name of the captain and the port he swore he had come from. In the second, which nobody but his daughter ever saw, he wrote what he believed. Most evenings the books agreed. When they did not, he would sit at the window with his pipe unlit and watch the lamps on the water, and in the morning somebody would be asked, very politely, to open a hold.

"You can't run a port on suspicion," the mayor told him once. "No," he said, "but you can't run one without it either." It wasn't a clever answer, and he knew it; still, the mayor laughed, and the subject was dropped for another year. We've all met people like that. They aren't unkind. They simply prefer to know.

Years later, when the archive was finally catalogued, a student noticed that the second book was written on pages cut from the first. He had scraped the old ink away, carefully, line by line, and begun again; but under the right light you could still read both.`;

const CHAT = `hey, quick question about tomorrow's standup - are we still doing it at 9:30? i might be ~10 min late because of the dentist thing. also did anyone look at the flaky checkout test? it failed 3 times on my branch last night, and I'm pretty sure it's not my change. If nobody's on it I'll take a look after lunch. thanks!!
sure, 9:30 works. I think Maria already has a fix for the test, it was a timezone issue in the invoice fixture (of course it was). She'll push it today. btw the new dashboard looks great, well done everyone :)`;

const CODE = `import { readFile } from "node:fs/promises";

export interface Harbour {
  readonly name: string;
  readonly berths: number;
  ships: Map<string, Ship>;
}

/** Loads every harbour in the file; lines that cannot be parsed are counted, not thrown. */
export async function loadHarbours(path: string, options: LoadOptions = {}): Promise<LoadResult> {
  const lines = (await readFile(path, "utf8")).split("\\n");
  let skipped = 0;
  const harbours = lines.flatMap((line, index) => {
    if (line.trim() === "" || line.startsWith("#")) return [];
    try {
      return [parseHarbour(JSON.parse(line), { strict: options.strict ?? false })];
    } catch (error) {
      skipped += 1;
      options.onError?.(\`line \${index + 1}: \${String(error)}\`);
      return [];
    }
  });
  return { harbours, skipped };
}

def tide_height(hours: float, mean: float = 2.1, amplitude: float = 1.4) -> float:
    """Height of the tide in metres above chart datum."""
    if hours < 0:
        raise ValueError(f"hours must not be negative, got {hours!r}")
    phase = 2 * math.pi * (hours % 12.42) / 12.42
    return round(mean + amplitude * math.cos(phase), 3)

func (s *Server) handleBerth(w http.ResponseWriter, r *http.Request) {
	id := chi.URLParam(r, "berthID")
	berth, err := s.store.FindBerth(r.Context(), id)
	if errors.Is(err, ErrNotFound) {
		http.Error(w, "no such berth", http.StatusNotFound)
		return
	}
	json.NewEncoder(w).Encode(berth)
}

SELECT ship.name, COUNT(*) AS visits, MAX(arrival.at) AS last_seen
FROM arrival JOIN ship ON ship.id = arrival.ship_id
WHERE arrival.at >= NOW() - INTERVAL '90 days'
GROUP BY ship.name HAVING COUNT(*) > 3 ORDER BY visits DESC LIMIT 20;`;

const MINIFIED = `!function(e,t){"object"==typeof exports&&"undefined"!=typeof module?module.exports=t():(e=e||self).harbour=t()}(this,function(){"use strict";var e=Object.prototype.hasOwnProperty;function t(t,n){for(var r in n)e.call(n,r)&&(t[r]=n[r]);return t}function n(e){return null==e?"":String(e).replace(/[&<>"']/g,function(e){return"&#"+e.charCodeAt(0)+";"})}var r=0,o={},i=function(e,n){var i=t({id:++r,open:!1,left:0,width:n||320},e);return o[i.id]=i,i.render=function(){return'<div class="b b-'+i.id+'" style="left:'+i.left+'px">'+(i.open?"<b>&times;</b>":"")+"</div>"},i};return i.all=function(){return Object.keys(o).map(function(e){return o[e]})},i.escape=n,i.version="2.1.7",i});`;

const MARKDOWN = `# Harbour kit

[![build](https://example.org/badge.svg)](https://example.org/build) Small tools for **small** ports.

| option | default | meaning |
| --- | ---: | --- |
| \`berths\` | 12 | how many ships fit at once |
| \`tideTable\` | \`"north"\` | which table to use (see [tides](docs/tides.md)) |
| \`retryMs\` | 1500 | wait before asking again |

1. Install it: \`npm install harbour-kit\`
2. Write a \`harbour.config.json\`:
   - keep **secrets** out of it
   - one object per port
3. Run \`npx harbour watch --port 8080\`

> Note: version 3 drops support for the old \`/v1/ships\` route.`;

const CHINESE = `昨天晚上我跟同事聊起搬家的事情，才发现大家对“附近”的理解差得很远。有人觉得走路十五分钟以内才算近，有人觉得只要不用换乘地铁就可以接受。我自己比较看重早上能不能多睡一会儿，所以宁愿房租贵一点，也不想每天在路上花两个小时。
据气象部门介绍，受冷空气影响，未来三天华北大部分地区气温将下降六到八摄氏度，局部地区有中到大雨。专家提醒，市民出行应注意防寒保暖，农业生产需提前做好设施加固。铁路部门表示，目前各次列车运行正常，如遇恶劣天气将及时发布调整信息。
你好，请问这个订单什么时候能发货？我上周五就付款了，到现在物流信息还没有更新。如果今天发不出来的话，麻烦帮我取消吧，谢谢！
好的亲，非常抱歉让您久等了，我马上帮您查一下。系统显示仓库那边已经打包完成，预计今天下午就会发出，请您再耐心等待一下哦。`;

const CHINESE_TRADITIONAL = `這座老圖書館建於一百多年前，木頭地板踩上去會吱吱作響。館長說，最難保存的不是書本，而是讀者留在頁邊的筆記，因為每一代人關心的問題都不一樣。下午的陽光從窗戶斜斜照進來，灰塵在空氣裡慢慢飄動，讓人覺得時間好像停了下來。我們決定把這些筆記掃描成數位檔案，讓更多研究者可以在網路上閱讀。`;

const JAPANESE = `先週の土曜日、久しぶりに友人と海辺の町へ出かけました。駅前の小さな食堂で焼き魚の定食を食べてから、古い灯台まで歩いて三十分ほどかかりました。風が強くて帽子が飛ばされそうになったけれど、丘の上から見た夕日は本当にきれいで、二人ともしばらく黙ったまま眺めていました。
このライブラリは、会話の履歴を指定したトークン数以内に収めるためのものです。メッセージを追加すると自動的に使用量が計算され、しきい値を超えた場合は古いツールの出力から順に圧縮されます。設定ファイルを変更したあとは、必ずサーバーを再起動してください。
えっ、マジで？明日のミーティング、オンラインに変わったの？全然知らなかったよ。資料はもう共有フォルダにアップしてあるから、時間があるときにチェックしておいてね。`;

const KOREAN = `어제는 오랜만에 고등학교 친구들을 만나서 저녁을 먹었다. 다들 하는 일은 달라졌지만 웃는 모습은 예전 그대로였다. 한 친구는 작은 빵집을 열었는데 새벽 네 시에 일어나는 것이 가장 힘들다고 했다. 우리는 다음 달에 그 가게에서 다시 모이기로 약속하고 헤어졌다.
정부는 내년부터 지역 도서관의 운영 시간을 연장하고 디지털 자료를 확충하는 방안을 발표했다. 관계자는 "주민들이 퇴근 후에도 편하게 이용할 수 있도록 하겠다"고 말했다. 전문가들은 예산 확보와 인력 충원이 함께 이루어져야 한다고 지적했다.
안녕하세요, 주문한 상품이 아직 도착하지 않아서 문의드립니다. 배송 조회를 해 보니 사흘째 같은 상태로 나오는데 확인 부탁드려요. 급하게 필요한 물건이라 이번 주 안에 받을 수 있으면 좋겠습니다.`;

const ARABIC = `في صباح يوم الجمعة خرجت مع والدي إلى السوق القديم لنشتري بعض الخضار والفواكه. كان المكان مزدحما بالناس، وكان البائعون ينادون على بضائعهم بأصوات عالية. توقفنا عند رجل عجوز يبيع الكتب المستعملة، فوجدت رواية كنت أبحث عنها منذ سنوات.
أعلنت وزارة التعليم أمس عن خطة جديدة لتطوير المناهج في المدارس الثانوية، تشمل تدريب المعلمين وتوفير أجهزة حديثة للطلاب. وقال المتحدث باسم الوزارة إن التنفيذ سيبدأ في بداية العام الدراسي المقبل، مشيرا إلى أن الميزانية المخصصة للمشروع تبلغ نحو مئتي مليون.
مرحبا، عندي مشكلة في تسجيل الدخول إلى حسابي. كل مرة أكتب كلمة المرور تظهر لي رسالة خطأ، مع أنني متأكد من أنها صحيحة. هل يمكنكم مساعدتي من فضلكم؟`;

const ARABIC_VOWELS = `ذَهَبَ الوَلَدُ إِلَى المَدْرَسَةِ مَعَ أَخِيهِ الصَّغِيرِ، وَكَانَ الجَوُّ جَمِيلًا وَالشَّمْسُ مُشْرِقَةً. قَرَأَ المُعَلِّمُ قِصَّةً عَنْ مَلِكٍ عَادِلٍ يُحِبُّ شَعْبَهُ، ثُمَّ سَأَلَ التَّلَامِيذَ عَنْ مَعْنَاهَا.`;

const RUSSIAN = `Вечером мы долго сидели на кухне и пили чай с вареньем. Бабушка рассказывала, как в молодости работала на почте и знала по именам всех жителей посёлка. За окном шёл мокрый снег, иногда проезжала машина, и свет фар пробегал по стене. Никому не хотелось уходить, хотя утром нужно было рано вставать.
По данным ведомства, в третьем квартале объём перевозок вырос на семь процентов по сравнению с прошлым годом. Эксперты связывают это с открытием новых маршрутов и снижением стоимости билетов. Вместе с тем представители отрасли отмечают нехватку квалифицированных кадров.
Привет! Слушай, у меня почему-то не собирается проект после обновления зависимостей. Пишет, что не найден модуль конфигурации. Ты не сталкивался с таким? Может, нужно почистить кэш и поставить всё заново?`;

const EUROPEAN: Readonly<Record<string, string>> = {
  german: `Gestern Abend habe ich endlich die Steuererklärung abgegeben, obwohl mir noch zwei Bescheinigungen fehlten. Die Sachbearbeiterin war ausgesprochen freundlich und erklärte mir, dass man fehlende Unterlagen innerhalb von vier Wochen nachreichen könne. Auf dem Heimweg fiel mir ein, dass ich den Schlüssel im Büro vergessen hatte.`,
  french: `Hier soir, nous avons dîné chez des amis qui viennent de s'installer à la campagne. Leur maison est entourée de vieux chênes, et l'on entend la rivière depuis la terrasse. Ils nous ont raconté qu'ils cherchaient encore quelqu'un pour réparer la toiture avant l'hiver, mais que tous les artisans étaient déjà très occupés.`,
  spanish: `El sábado pasado subimos al cerro antes de que amaneciera. Hacía mucho frío, pero valió la pena: desde arriba se veía toda la bahía cubierta de niebla. Mi hermana preparó café en un hornillo pequeño y nos quedamos allí, sin decir nada, hasta que el sol empezó a calentar las piedras.`,
  turkish: `Dün akşam işten çıktıktan sonra sahile kadar yürüdüm. Hava biraz serindi ama deniz kenarında oturmak bana her zaman iyi gelir. Yaşlı bir balıkçı, oltasını toplarken bana gençliğinde bu koyda yunusların yüzdüğünü anlattı. Eve döndüğümde saat çoktan gece yarısını geçmişti.`,
  polish: `W zeszłym tygodniu przeprowadziliśmy się do nowego mieszkania na trzecim piętrze. Okna wychodzą na podwórko, więc jest cicho, ale rano prawie nie ma słońca. Sąsiadka z dołu przyniosła nam ciasto drożdżowe i powiedziała, że mieszka tu od czterdziestu lat.`,
  vietnamese: `Sáng nay trời mưa rất to nên tôi quyết định làm việc ở nhà. Tôi pha một ấm trà gừng, mở máy tính và trả lời hết những thư còn lại từ tuần trước. Đến trưa, mẹ gọi điện hỏi khi nào tôi về quê, vì vườn cam năm nay sai quả và bà muốn gửi cho tôi một thùng.`,
};

const SCRIPTS: Readonly<Record<string, string>> = {
  hebrew: `אתמול בערב ישבנו במרפסת ושתינו תה עם נענע. השכן מלמטה ניגן בכינור, ולרגע נדמה היה שכל הרחוב מקשיב. מחר בבוקר אנחנו נוסעים לבקר את סבתא בגליל, ואמא ביקשה שלא נשכח להביא את העוגה.`,
  greek: `Χθες το απόγευμα περπατήσαμε μέχρι το παλιό λιμάνι και καθίσαμε σε ένα μικρό καφενείο. Ο ιδιοκτήτης μας είπε ιστορίες για τους ψαράδες που έφευγαν πριν ξημερώσει και γύριζαν με άδεια δίχτυα. Όταν νύχτωσε, τα φώτα καθρεφτίζονταν στο νερό.`,
  hindi: `कल शाम को हम लोग नदी के किनारे टहलने गए थे। वहाँ बच्चों का एक समूह पतंग उड़ा रहा था और उनकी हँसी दूर तक सुनाई दे रही थी। मेरे भाई ने कहा कि अगली बार हम खाना भी साथ लेकर आएँगे, ताकि पूरा दिन वहीं बिता सकें।`,
  thai: `เมื่อวานนี้ฉันไปตลาดกับแม่ตั้งแต่เช้า เราซื้อผักสด ปลา และผลไม้หลายอย่าง ตอนบ่ายฝนตกหนักมากจนถนนน้ำท่วม เราจึงต้องรออยู่ในร้านกาแฟเกือบสองชั่วโมงก่อนจะกลับบ้านได้`,
};

const EMOJI = `Launch day! 🚀🎉 Thanks everyone 🙏🏽 you were amazing 💯💯💯 Coffee ☕️ first, then cake 🎂🍰
😂😂😂😂 I can't 🤣 | 👍🏻 👍🏼 👍🏽 👍🏾 👍🏿 | 👨‍👩‍👧‍👦 👩🏾‍💻 🧑‍🚀 🏳️‍🌈 | 🇪🇸 🇸🇪 🇳🇬 🇲🇽
✅ tests ❌ deploy ⚠️ disk 🔥 prod 🐛 found 🐛🐛 again 😭 ❤️🧡💛💚💙💜 ⬆️⬇️ 1️⃣2️⃣3️⃣ 🫠🫡🥹 🐈‍⬛🦭🪿 🎧🎤🎬`;

const MIXED = `User (ja): ビルドが失敗しました。エラーは "TypeError: Cannot read properties of undefined (reading 'length')" です。
Assistant: 我看了一下日志 —— the stack points at src/parse.ts:142:17. Попробуйте обновить зависимость до версии 4.2.1, then run \`npm ci && npm test\`.
{"status":"error","code":502,"message":"Шлюз недоступен","trace":"9f8b1c2d-77aa-4e1f-9d55-0c1a2b3c4d5e","tags":["ci","빌드","تنبيه"]}
| 項目 | value | note |
|---|---|---|
| 時間 | 12.7 s | ✅ ok |
| メモリ | 1,024 MB | ⚠️ high |`;

const HEX = "0123456789abcdef";
const uuid = (r: Random): string => [8, 4, 4, 4, 12].map((length) => r.string(HEX, length)).join("-");
const lines = (seed: number, count: number, make: (random: Random, index: number) => string): string => {
  const random = seeded(seed);
  return Array.from({ length: count }, (_unused, index) => make(random, index)).join("\n");
};
const PATHS = ["src/harbour/tide.ts", "lib/berth/index.js", "test/ship.spec.ts", "packages/mail/send.ts"];

export const OWN_TEXTS: readonly OwnText[] = [
  { category: "prose", name: "story", text: PROSE },
  { category: "prose", name: "chat", text: CHAT },
  { category: "code", name: "four languages", text: CODE },
  { category: "code", name: "minified", text: MINIFIED },
  { category: "code", name: "Markdown", text: MARKDOWN },
  { category: "JSON", name: "compact", text: JSON.stringify(record(11, 12)) },
  { category: "JSON", name: "indented", text: JSON.stringify(record(12, 8), null, 2) },
  {
    category: "logs",
    name: "requests",
    text: lines(
      21,
      30,
      (r, i) =>
        `2026-04-${10 + (i % 20)} 08:${10 + i}:${10 + r.below(49)},${100 + r.below(899)} ${r.pick(["INFO ", "WARN ", "ERROR"])} harbour.${r.pick(["tide", "berth", "crew"])} - ship ${r.below(9999)} ${r.pick(["entered berth", "left without pilot", "timed out after"])} ${r.below(60)} in ${r.below(900)}ms (request ${uuid(r)})`,
    ),
  },
  {
    category: "logs",
    name: "stack traces",
    text: lines(
      22,
      24,
      (r) =>
        `    at async ${r.pick(["BerthService.assign", "loadHarbours", "Object.<anonymous>", "process.processTicksAndRejections"])} (file:///srv/app/${r.pick(PATHS)}:${r.below(400)}:${r.below(60)})`,
    ),
  },
  { category: "hex ids", name: "UUIDs", text: lines(31, 40, uuid) },
  { category: "hex ids", name: "SHA-256", text: lines(32, 24, (r, i) => `${r.string(HEX, 64)}  image-${i}.tar`) },
  {
    category: "hex ids",
    name: "dump",
    text: lines(
      33,
      30,
      (r, i) =>
        `${(i * 16).toString(16).padStart(8, "0")}: ${Array.from({ length: 8 }, () => r.string(HEX, 4)).join(" ")}`,
    ),
  },
  { category: "base64", name: "one run", text: Buffer.from(seeded(41).bytes(2_400)).toString("base64") },
  { category: "base64", name: "url-safe", text: lines(42, 20, (r) => Buffer.from(r.bytes(96)).toString("base64url")) },
  { category: "Chinese", name: "chat and news", text: CHINESE },
  { category: "Chinese", name: "traditional", text: CHINESE_TRADITIONAL },
  { category: "Japanese", name: "story, docs, chat", text: JAPANESE },
  { category: "Korean", name: "story, news, chat", text: KOREAN },
  { category: "Korean", name: "without spaces", text: KOREAN.replaceAll(" ", "") },
  { category: "Arabic", name: "story, news, chat", text: ARABIC },
  { category: "Arabic", name: "with vowels", text: ARABIC_VOWELS },
  { category: "Russian", name: "story, news, chat", text: RUSSIAN },
  { category: "emoji", name: "messages", text: EMOJI },
  { category: "mixed", name: "conversation", text: MIXED },
  ...Object.entries({ ...EUROPEAN, ...SCRIPTS }).map(([name, text]) => ({ category: "other scripts", name, text })),
];

function record(seed: number, count: number): unknown {
  const random = seeded(seed);
  const ships = Array.from({ length: count }, (_unused, index) => ({
    id: uuid(random),
    name: random.pick(["Aurora", "Nordlys", "Santa Clara", "Hokule'a"]),
    berth: index % 5 === 0 ? null : random.below(40),
    cargo: [{ kind: random.pick(["timber", "grain", "wool"]), tonnes: random.below(9000) / 10 }],
    remarks: random.pick(["waiting for the pilot", "inspected, nothing found", "papers incomplete; see note 4"]),
    departed: random.below(2) === 0,
  }));
  return { version: 3, generatedAt: "2026-04-12T08:15:00Z", ships };
}
