/** A small set of emoji with the words that find them. Phones and systems have the pictures. */
export type Emoji = { symbol: string; words: string };

const GROUPS: [name: 'faces' | 'hands' | 'hearts' | 'things' | 'places' | 'signs', list: string][] = [
  [
    'faces',
    '😀 grin happy|😃 smile happy|😄 smile laugh|😁 beam|😅 sweat relief|😂 tears joy laugh|🤣 rolling laugh|🙂 smile slight|🙃 upside down|😉 wink|😊 blush smile|😇 angel halo|🥰 love hearts|😍 love eyes|😘 kiss|😋 tasty yum|😎 cool sunglasses|🤓 nerd|🥳 party celebrate|🤗 hug|🤔 think|🤨 doubt eyebrow|😐 neutral|😶 silent|🙄 eyes roll|😏 smirk|😬 grimace|😌 relieved|😴 sleep|😷 mask ill|🤒 ill fever|🥵 hot|🥶 cold|😵 dizzy|🤯 mind blown|😟 worried|🙁 sad frown|😮 surprised|😳 flushed|🥺 please|😢 cry sad|😭 cry loud|😤 huff|😠 angry|😱 scream|😔 pensive sorry|😞 disappointed|😓 sweat|🥱 yawn|🤝 handshake deal',
  ],
  [
    'hands',
    '👍 thumbs up yes good|👎 thumbs down no|👌 ok|✌️ victory peace|🤞 fingers crossed luck|👏 clap|🙌 hooray hands|🙏 thanks please pray|💪 strong|👋 wave hello bye|🤙 call|👉 point right|👈 point left|👆 point up|👇 point down|☝️ one up|✋ stop hand|🤷 shrug|🤦 facepalm|🙋 raise hand|✍️ write',
  ],
  [
    'hearts',
    '❤️ heart red love|🧡 heart orange|💛 heart yellow|💚 heart green|💙 heart blue|💜 heart purple|🖤 heart black|🤍 heart white|💔 broken heart|💕 hearts|💯 hundred|✨ sparkles|⭐ star|🌟 star shine|🔥 fire|🎉 party popper|🎊 confetti|🎁 gift present|🎂 cake birthday|🏆 trophy|🥇 medal first',
  ],
  [
    'things',
    '📦 parcel package box|🚚 truck delivery|✈️ plane flight|🚗 car|🚲 bike|🛒 cart shop|🛍️ bags shopping|💳 card pay|💶 euro money|💵 dollar money|🧾 receipt bill|📄 page document|📎 clip attach|📷 camera photo|📞 phone call|📱 mobile phone|💻 computer laptop|📧 mail e-mail|📅 date calendar|⏰ alarm time|⏳ wait hourglass|🔑 key|🔒 lock|🔧 tool repair|💡 idea lamp|📌 pin|✂️ scissors|👕 shirt|👟 shoe|👓 glasses|💊 pill|☕ coffee tea|🍕 pizza|🍰 cake|🍎 apple|🍺 beer|🍷 wine',
  ],
  [
    'places',
    '🏠 home house|🏢 office|🏪 shop store|🏦 bank|🏥 hospital|📍 place location|🗺️ map|🌍 world|☀️ sun|🌤️ cloud sun|🌧️ rain|❄️ snow|🌈 rainbow|🌱 plant|🌸 flower|🌳 tree|🐶 dog|🐱 cat',
  ],
  [
    'signs',
    '✅ check done yes|❌ cross no|❓ question|❗ exclamation important|⚠️ warning|ℹ️ info|➡️ right arrow|⬅️ left arrow|⬆️ up arrow|⬇️ down arrow|🔄 again refresh|🆕 new|🔝 top|🔔 bell|🔕 bell off|➕ plus|➖ minus|0️⃣ zero|1️⃣ one|2️⃣ two|3️⃣ three|4️⃣ four|5️⃣ five',
  ],
];

export type EmojiGroup = { name: (typeof GROUPS)[number][0]; list: Emoji[] };

export const EMOJI: EmojiGroup[] = GROUPS.map(([name, list]) => ({
  name,
  list: list.split('|').map((entry) => {
    const [symbol = '', ...words] = entry.split(' ');
    return { symbol, words: words.join(' ') };
  }),
}));

const RECENT = 'switchboard.emoji';
const MOST_RECENT = 16;

export function recentEmoji(): Emoji[] {
  const known = new Map(EMOJI.flatMap(({ list }) => list).map((one) => [one.symbol, one]));
  return (localStorage.getItem(RECENT) ?? '').split(' ').flatMap((symbol) => known.get(symbol) ?? []);
}

export function useEmoji(symbol: string): void {
  const symbols = [
    symbol,
    ...recentEmoji()
      .map((one) => one.symbol)
      .filter((one) => one !== symbol),
  ];
  localStorage.setItem(RECENT, symbols.slice(0, MOST_RECENT).join(' '));
}

export function findEmoji(query: string): Emoji[] {
  const wanted = query.trim().toLocaleLowerCase();
  return EMOJI.flatMap(({ list }) => list).filter(
    ({ symbol, words }) => symbol === wanted || words.split(' ').some((word) => word.startsWith(wanted)),
  );
}
