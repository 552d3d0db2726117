/** Whether the style sheet leaves the sentence of `index.html` in place, because this browser lacks what the page is made with. */
export function isTooOld(): boolean {
  const sentence = document.querySelector('.too-old')
  return sentence !== null && getComputedStyle(sentence).display !== 'none'
}
