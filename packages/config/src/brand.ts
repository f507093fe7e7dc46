import { z } from 'zod'
import { setting } from './setting.ts'

/** WCAG 2.2, 1.4.3: text on a ground. */
const CONTRAST_MIN = 4.5

/** docs/spec-gaps.md, the checkout page: a payer's first read carries the logo over a slow network. */
const LOGO_CHARS_MAX = 8_192

const HEX = /^#[0-9a-fA-F]{6}$/

const hexColor = z.string().regex(HEX, 'must be a color such as #0b5d3b')

/** A color that stands beside text, so that any is readable. */
export const markColor = hexColor.nullable()

/** How the checkout page looks for one merchant. */
export const brand = z
  .strictObject({
    accent_color: hexColor
      .refine(
        (color) => !HEX.test(color) || contrastWithWhite(color) >= CONTRAST_MIN,
        `must have a contrast of at least ${CONTRAST_MIN} with white: choose a darker color`,
      )
      .nullable()
      .default(null)
      .meta(
        setting({
          description: `The color of the page’s buttons, whose text is white. Its contrast with white must be ${CONTRAST_MIN} or more.`,
        }),
      ),
    logo: z
      .string()
      .max(LOGO_CHARS_MAX)
      .regex(
        /^data:image\/(?:png|webp|svg\+xml);base64,[A-Za-z0-9+/]+=*$/,
        'must be a PNG, WebP or SVG image as a data URI in base64',
      )
      .nullable()
      .default(null)
      .meta(
        setting({ description: 'The merchant’s logo: a PNG, WebP or SVG image as a data URI in base64.' }),
      ),
  })
  .prefault({})
  .meta(setting({ description: 'How the checkout page looks for this merchant.' }))

/** WCAG 2.2: the contrast of a color with white, from 1 to 21. */
function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => linear(parseInt(color.slice(at, at + 2), 16)))
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
}

function linear(byte: number): number {
  const part = byte / 255
  if (byte <= 10) return part / 12.92
  return ((part + 0.055) / 1.055) ** 2.4
}
