/** Messages for the samples: two hits, one that is not clear, one that no skill fits. */
export const MESSAGES = {
  en: [
    'make slides about our launch',
    'why do my pods keep restarting?',
    'write a letter',
    'tell me a joke',
  ],
  zh: ['帮我调研AI市场', '写一封邮件向客户道歉', '帮我整理一下这份文件', '把灯关掉'],
} as const
