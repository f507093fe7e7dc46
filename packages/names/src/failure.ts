export const failure = (code: 'ENOTFOUND' | 'EAI_AGAIN', host: string) =>
  Object.assign(new Error(`${code} ${host}`), { code })
