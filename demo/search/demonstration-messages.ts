/** Messages for the samples: two hits, the first on a skill in the language of the page, one that is not clear, one that no skill fits. */
export const MESSAGES = {
  en: [
    'extract the tables from this PDF',
    'why do my pods keep restarting?',
    'improve the photos',
    'tell me a joke',
  ],
  zh: ['帮我写这周的周报', '写一封邮件向客户道歉', '帮我整理一下这份文件', '把灯关掉'],
} as const
