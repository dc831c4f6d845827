/** Messages to try. The last one is served by no skill. */
export const EXAMPLES: readonly { message: string; language: string }[] = [
  { message: 'make slides about our launch', language: 'en' },
  { message: 'book a flight to Tokyo', language: 'en' },
  { message: 'extract the tables from this PDF', language: 'en' },
  { message: '帮我调研AI市场', language: 'zh' },
  { message: '写一封邮件向客户道歉', language: 'zh' },
  { message: '今週の夕飯、献立をどうしよう', language: 'ja' },
  { message: 'tell me a joke', language: 'en' },
]
