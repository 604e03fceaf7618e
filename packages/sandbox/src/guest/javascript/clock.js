// The clock as programs read it: `Date`, `Intl` and `Temporal` take the time from the host's recorded clock.

/**
 * Makes every reading of the current time use `now`.
 * @param {() => number} now milliseconds since the epoch
 */
export function installClock(now) {
  const EngineDate = Date;
  EngineDate.now = now;
  globalThis.Date = new Proxy(EngineDate, {
    apply: () => new EngineDate(now()).toString(),
    construct: (target, values, made) => Reflect.construct(target, values.length === 0 ? [now()] : values, made),
  });
  // Otherwise a date leads to the engine's own clock.
  EngineDate.prototype.constructor = globalThis.Date;
  if (typeof Intl !== 'undefined') formatWith(now);
  if ('Temporal' in globalThis) useInTemporal(/** @type {any} */ (globalThis).Temporal, now);
}

/**
 * Formats of dates use the current time if they get none.
 * @param {() => number} now
 */
function formatWith(now) {
  const formats = Intl.DateTimeFormat.prototype;
  const { formatToParts } = formats;
  const format = Object.getOwnPropertyDescriptor(formats, 'format')?.get;
  Object.defineProperty(formats, 'format', {
    /** @this {Intl.DateTimeFormat} */
    get() {
      const bound = format?.call(this);
      return (/** @type {Date | number | undefined} */ date = now()) => bound(date);
    },
    configurable: true,
  });
  formats.formatToParts = function (date = now()) {
    return formatToParts.call(this, date);
  };
}

/**
 * @param {any} Temporal
 * @param {() => number} now
 */
function useInTemporal(Temporal, now) {
  const instant = () => Temporal.Instant.fromEpochMilliseconds(now());
  const zoned = (zone = Temporal.Now.timeZoneId()) => instant().toZonedDateTimeISO(zone);
  Object.assign(Temporal.Now, {
    instant,
    zonedDateTimeISO: zoned,
    plainDateTimeISO: (/** @type {string | undefined} */ zone) => zoned(zone).toPlainDateTime(),
    plainDateISO: (/** @type {string | undefined} */ zone) => zoned(zone).toPlainDate(),
    plainTimeISO: (/** @type {string | undefined} */ zone) => zoned(zone).toPlainTime(),
  });
}
