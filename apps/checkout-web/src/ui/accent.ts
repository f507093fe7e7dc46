import { luminance, parseColor, type Rgb } from '@merchant-payments/payer-client/form/ink'
import { useEffect } from 'react'

const WHITE: Rgb = [255, 255, 255]
/** `--sheet` of the dark scheme. */
const DARK_SHEET: Rgb = [0x19, 0x20, 0x1c]

/** More than WCAG asks for (4.5), because accents also stand on grounds a little lighter than the sheet. */
const DARK_CONTRAST_MIN = 5.5
const STEP = 0.05

const PROPERTIES = ['--accent', '--accent-pressed', '--accent-tint', '--accent-dark', '--accent-dark-tint']

/** Shows the merchant's color. The configuration has checked that white text on it is readable. */
export function useAccent(color: string | null): void {
  useEffect(() => {
    if (color === null || !/^#[0-9a-f]{6}$/i.test(color)) return undefined
    // A script may set styles that the page's policy refuses in an attribute.
    const { style } = document.documentElement
    const colors = accentColors(color)
    PROPERTIES.forEach((name, at) => style.setProperty(name, colors[at] ?? ''))
    return () => PROPERTIES.forEach((name) => style.removeProperty(name))
  }, [color])
}

/** The values of the properties, in their order. */
export function accentColors(color: string): readonly string[] {
  const accent = parseColor(color)
  const onDark = readableOnDark(accent)
  return [
    accent,
    mix(accent, [0, 0, 0], 0.2),
    mix(accent, WHITE, 0.9),
    onDark,
    mix(onDark, DARK_SHEET, 0.85),
  ].map(written)
}

/** Lightens a color until it is readable on the dark sheet. White is, so this ends. */
function readableOnDark(color: Rgb): Rgb {
  for (let part = 0; part < 1; part += STEP) {
    const lighter = mix(color, WHITE, part)
    if (contrast(lighter, DARK_SHEET) >= DARK_CONTRAST_MIN) return lighter
  }
  return WHITE
}

const mix = (from: Rgb, to: Rgb, part: number): Rgb => {
  const at = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * part)
  return [at(0), at(1), at(2)]
}

const written = (color: Rgb): string => `rgb(${color.join(' ')})`.replace(/ /g, ',')

/** WCAG 2.2: the contrast of two colors, from 1 to 21. */
function contrast(one: Rgb, other: Rgb): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}
