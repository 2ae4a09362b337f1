// Slots for streams. Browsers open six connections to an origin of HTTP/1.1, for all tabs together: a watch for each
// of many clusters would leave none for anything else. So at most kSlots streams are open, counted over all tabs by
// the browser's locks (by tab where there are none: plain HTTP from another host). Who gets no slot asks again.
import { Store } from "../store";

const kSlots = 4;
const kSlotsOfTab = 2;

export interface Slot {
  release(): void;
}

// Counts releases, so that who was turned away can try again at once.
export const slotsReleased = new Store(0);
let taken = 0;

function released(): void {
  slotsReleased.set(slotsReleased.get() + 1);
}

export async function takeSlot(): Promise<Slot | undefined> {
  if (!("locks" in navigator)) {
    if (taken >= kSlotsOfTab) return undefined;
    taken += 1;
    return once(() => {
      taken -= 1;
      released();
    });
  }
  for (let i = 0; i < kSlots; ++i) {
    const slot = await tryLock(`fairway.stream.${i}`);
    if (slot) return slot;
  }
  return undefined;
}

function tryLock(name: string): Promise<Slot | undefined> {
  return new Promise((resolve) => {
    let isHeld = false;
    const hold = (lock: Lock | null): Promise<void> | undefined => {
      isHeld = lock !== null;
      if (isHeld) return new Promise<void>((letGo) => resolve(once(letGo)));
      resolve(undefined);
      return undefined;
    };
    void navigator.locks.request(name, { ifAvailable: true }, hold).then(
      () => isHeld && released(),
      () => resolve(undefined),
    );
  });
}

function once(action: () => void): Slot {
  let isHeld = true;
  return {
    release() {
      if (isHeld) action();
      isHeld = false;
    },
  };
}
