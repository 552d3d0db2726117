/** A code in a picture, and how far its middle is from that of the picture. */
export interface Reading {
  text: string
  distance: number
}

/** Reads the codes of a picture. */
export type Read = (frame: ImageBitmap) => Promise<Reading[]>

/** Distance of a point from the middle of a picture. */
export const distanceOf = ({ width, height }: ImageBitmap, x: number, y: number): number =>
  Math.hypot(x - width / 2, y - height / 2)
