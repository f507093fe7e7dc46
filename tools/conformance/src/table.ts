/** A text as a cell of a Markdown table shows it. */
export const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*').replaceAll('\\*\\*', '**')
