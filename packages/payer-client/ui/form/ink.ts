export type Rgb = readonly [red: number, green: number, blue: number]

/** The parts of `#rrggbb`. */
export const parseColor = (color: string): Rgb => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16))
  return [red, green, blue]
}

/** WCAG 2.2: relative luminance, from 0 to 1. */
export const luminance = ([red, green, blue]: Rgb): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

const linear = (byte: number): number =>
  byte <= 10 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4

/** Black or white, whichever is easier to read on a color. */
export const inkOn = (color: string): string => (luminance(parseColor(color)) > 0.18 ? '#000' : '#fff')
