#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RING_LIMIT 4096

typedef struct ring {
    uint8_t *bytes;
    size_t capacity;
    size_t head;
    size_t used;
} ring_t;

enum ring_error { RING_OK, RING_FULL, RING_NO_MEMORY };

static const char *messages[] = {"ok", "the ring is full", "no memory"};

int ring_init(ring_t *ring, size_t capacity)
{
    if (capacity == 0 || capacity > RING_LIMIT)
        return RING_FULL;
    ring->bytes = malloc(capacity);
    if (ring->bytes == NULL)
        return RING_NO_MEMORY;
    ring->capacity = capacity;
    ring->head = ring->used = 0;
    return RING_OK;
}

int ring_put(ring_t *ring, uint8_t byte)
{
    if (ring->used == ring->capacity) {
        return RING_FULL;
    }
    ring->bytes[(ring->head + ring->used) % ring->capacity] = byte;
    ring->used++;
    return RING_OK;
}

static size_t ring_take(ring_t *ring, uint8_t *out, size_t most)
{
    size_t taken = 0;
    while (taken < most && ring->used > 0) {
        out[taken++] = ring->bytes[ring->head];
        ring->head = (ring->head + 1) % ring->capacity;
        ring->used--;
    }
    return taken;
}

const char *ring_message(enum ring_error error)
{
    return messages[error];
}
