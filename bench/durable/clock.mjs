// Moves the clock of this process by TOOLWRIGHT_CLOCK_OFFSET_MS, for `node --import`. Timers keep their length.
const offset = Number(process.env.TOOLWRIGHT_CLOCK_OFFSET_MS ?? 0);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  static name = 'Date';

  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offset);
    else super(...given);
  }
  static now() {
    return RealDate.now() + offset;
  }
};
