// Places in the plane, exactly: a deep zoom and an infinite plane need more digits than a number has.

const DIGITS = 340;
const ONE = 10n ** BigInt(DIGITS);

/** A decimal number as a whole number of 10^-DIGITS: of "-1.25", "3e-7" or a Number. */
export function decimal(text) {
  const parts = /^(-?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/.exec(String(text));
  if (!parts) return 0n;
  const [, sign, whole, fraction, exponent] = parts;
  const shift = DIGITS - fraction.length + Number(exponent ?? 0);
  const digits = BigInt(whole + fraction || "0");
  const value = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign ? -value : value;
}

/** The text of such a number. */
export function decimalText(value) {
  const positive = value < 0n ? -value : value;
  const fraction = (positive % ONE).toString().padStart(DIGITS, "0").replace(/0+$/, "");
  return (value < 0n ? "-" : "") + positive / ONE + (fraction ? "." + fraction : "");
}

/** The nearest Number. */
export function decimalNumber(value) {
  const text = (value < 0n ? -value : value).toString();
  const kept = text.slice(0, 17);
  const number = Number(`${kept}e${text.length - kept.length - DIGITS}`);
  return value < 0n ? -number : number;
}
