import type { ReceiptRow } from './receipt-rows.ts'

interface Receipt {
  readonly title: string
  readonly rows: readonly ReceiptRow[]
  readonly fileName: string
}

/** In pixels of the image, which is as wide as a small phone at twice its density. */
const WIDTH = 720
const MARGIN = 48
const TITLE_HEIGHT = 96
const NAME_HEIGHT = 44
const LINE_HEIGHT = 44
const ROW_GAP = 20

/** Safari on iOS asks the payer before it downloads, and needs the image until then. */
const KEPT_MS = 40_000

const GROUND = '#fff'
const INK = '#14201a'
const QUIET = '#4b5750'
const fonts = {
  title: '700 44px system-ui, sans-serif',
  name: '400 28px system-ui, sans-serif',
  value: '600 32px system-ui, sans-serif',
}

/** Draws the receipt and hands it to the browser's downloads. @throws if the browser cannot draw */
export async function saveImage({ title, rows, fileName }: Receipt): Promise<void> {
  const blob = await drawn(title, rows)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}

function drawn(title: string, rows: readonly ReceiptRow[]): Promise<Blob> {
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('this browser has no canvas')
  context.font = fonts.value
  const lines = rows.map(({ name, value }) => ({ name, values: wrapped(context, value) }))
  canvas.width = WIDTH
  canvas.height =
    2 * MARGIN +
    TITLE_HEIGHT +
    lines.reduce((sum, { values }) => sum + NAME_HEIGHT + values.length * LINE_HEIGHT + ROW_GAP, 0)
  paint(context, title, lines)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error('the image is empty')) : resolve(blob)))
  })
}

/** Setting the canvas's size has cleared the font. */
function paint(
  context: CanvasRenderingContext2D,
  title: string,
  lines: readonly { readonly name: string; readonly values: readonly string[] }[],
): void {
  context.fillStyle = GROUND
  context.fillRect(0, 0, context.canvas.width, context.canvas.height)
  context.textBaseline = 'top'
  const write = (text: string, at: number, font: string, color: string): void => {
    context.font = font
    context.fillStyle = color
    context.fillText(text, MARGIN, at)
  }
  write(title, MARGIN, fonts.title, INK)
  let at = MARGIN + TITLE_HEIGHT
  for (const { name, values } of lines) {
    write(name, at, fonts.name, QUIET)
    at += NAME_HEIGHT
    for (const value of values) {
      write(value, at, fonts.value, INK)
      at += LINE_HEIGHT
    }
    at += ROW_GAP
  }
}

/** Breaks a text between words where it would leave the image. A wider word, such as an order number, breaks in itself. */
function wrapped(context: CanvasRenderingContext2D, text: string): readonly string[] {
  const fits = (line: string): boolean => context.measureText(line).width <= WIDTH - 2 * MARGIN
  const lines: string[] = []
  let line = ''
  const add = (part: string): void => {
    if (line !== '' && !fits(line + part)) {
      lines.push(line)
      line = ''
    }
    line += part
  }
  for (const word of text.split(' ')) {
    const space = line === '' ? '' : ' '
    if (fits(word)) add(space + word)
    else for (const character of space + word) add(character)
  }
  return [...lines, line].map((each) => each.trim())
}
