const FIRST_STRONG = '\u2068'
const END = '\u2069'
const ISOLATES = /[\u2066-\u2068]/

/** What the direction of the text beside it can depend on: the blocks of right-to-left scripts, and the characters that control direction. */
const TURNS = /[\p{Bidi_Control}\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u

/**
 * A text of a user inside of a sentence. A right-to-left name changes the places of the numbers and names beside it, and one with an override
 * reverses the rest of the sentence, unless it is isolated. Any other name is left as it is.
 */
export const isolated = (name: string): string => (TURNS.test(name) ? FIRST_STRONG + balanced(name) + END : name)

/** The name without ends of isolates that it did not begin, which would end the one around it, and with those that it lacks. */
function balanced(name: string): string {
  let open = 0
  let text = ''
  for (const character of name) {
    if (character === END && open === 0) continue
    if (ISOLATES.test(character)) open++
    if (character === END) open--
    text += character
  }
  return text + END.repeat(open)
}
