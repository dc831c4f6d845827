import type { IndexingData, UnspacedMatchingData } from './language.js'

/** The name of a skill in Latin letters, or with the word for a skill, and its particle. */
const NAME = String.raw`(?:[A-Za-z][\w-]*|[^\s.!?,\n]{1,20}\s?스킬)(?:\s?스킬)?(?:을|를|은|는|이|가)?\s?`

/** The start of a clause, where the patterns of what is ruled out start too. */
const BEFORE = String.raw`(?<=^|[.!?,\n]\s?)[^.!?,\n]{0,60}?`

/** Korean. */
export const matching: UnspacedMatchingData = {
  functionWords:
    '이 그 저 이거 그거 저거 이것 그것 저것 이게 그게 이걸 그걸 여기 거기 저기 어떻게 어떤 어느 어디 언제 누구 누가 뭐 뭘 무엇 무슨 왜 몇 얼마나 나 내 내가 나는 제 제가 저는 우리 너 네 당신 것 거 수 때 때문 위해 대해 좀 더 잘 안 못 그리고 그러나 하지만 또는 해 해요 해줘 해줘요 해주세요 해줄래 해줄 해야 하고 하는 하기 하려면 하나요 하면 하죠 할 할까 할까요 한 합니다 하세요 해도 되나요 되나 돼 돼요 됩니까 있어 있어요 있나요 있는 있을까 있을까요 없어 없어요 싶어 싶어요 싶습니다 싶은 주세요 줘 줘요 주실 필요해 필요해요 부탁 부탁해 부탁해요 부탁합니다 부탁드립니다 인가요 입니다 이에요 예요 감사합니다 고마워 안녕 안녕하세요',
  particles: '은 는 이 가 을 를 에 에서 에게 의 도 만 와 과 로 으로 까지 부터 요',
  leaning: '그거|그걸|그건|이거|이걸|이건|그것|이것|다시|또|계속|같은|방금|그리고|응|네',
  greetings: '안녕|감사|고마워',
  ruledOut: {
    patterns: [
      String.raw`[^.!?,\n]{0,60}(?:지\s?마(?:세요|십시오|요|라|시고)?|말고|필요\s?없(?:어요?|습니다|고)|대신(?:에)?)(?=[\s.,!?]|$)`,
      // Around the name of a skill: "invoice-check 빼고", "invoice-check 스킬 없이".
      String.raw`${NAME}(?:빼고|제외하고|제외한|없이|건너뛰(?:고|어|세요|자)|외에|무시(?:하고|해)|(?:쓰|사용하)지\s?않고|아니라)`,
    ],
    negatedTwice: [
      String.raw`${BEFORE}(?:건너뛰|무시하|빼|제외하|잊)지\s?(?:마|말|않)`,
      String.raw`${BEFORE}${NAME}(?:말고|외에|빼고|제외하고)(?:는|도)\s?[^.!?,\n]{0,15}(?:지\s?마|지\s?말|않|안\s)`,
      `${BEFORE}${NAME}없이는`,
    ],
  },
}

export const indexing: IndexingData = {
  negation: {
    patterns: [],
    finalPatterns: ['(?:사용|적용|호출|실행)하지|쓰지\\s*(?:마|않)|(?:용도|대상)(?:가|이)\\s*아'],
  },
  embedsAs: 'hangul',
}
