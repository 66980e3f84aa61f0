/* intel-ipsec-mb's AES-CTR: one job a message, through the cipher burst call, which does not queue. */

#include <intel-ipsec-mb.h>
#include <stdlib.h>
#include <string.h>

struct keyed {
    DECLARE_ALIGNED(uint8_t enc_keys[15 * 16], 64);
    DECLARE_ALIGNED(uint8_t dec_keys[15 * 16], 64);
    IMB_MGR *mgr;
    IMB_JOB job;
};

void byways_ipsec_mb_free(struct keyed *keyed)
{
    if (keyed == NULL)
        return;
    if (keyed->mgr != NULL)
        free_mb_mgr(keyed->mgr);
    free(keyed);
}

/* A manager for this CPU with an expanded key of 16, 24 or 32 bytes; null if there can be none. */
struct keyed *byways_ipsec_mb_new(const uint8_t *key, size_t bytes)
{
    void *room = NULL;
    if (posix_memalign(&room, 64, sizeof(struct keyed)) != 0)
        return NULL;
    memset(room, 0, sizeof(struct keyed));

    struct keyed *keyed = room;
    keyed->mgr = alloc_mb_mgr(0);
    if (keyed->mgr == NULL) {
        byways_ipsec_mb_free(keyed);
        return NULL;
    }
    init_mb_mgr_auto(keyed->mgr, NULL);
    if (imb_get_errno(keyed->mgr) != 0) {
        byways_ipsec_mb_free(keyed);
        return NULL;
    }
    switch (bytes) {
    case IMB_KEY_128_BYTES:
        IMB_AES_KEYEXP_128(keyed->mgr, key, keyed->enc_keys, keyed->dec_keys);
        break;
    case IMB_KEY_192_BYTES:
        IMB_AES_KEYEXP_192(keyed->mgr, key, keyed->enc_keys, keyed->dec_keys);
        break;
    case IMB_KEY_256_BYTES:
        IMB_AES_KEYEXP_256(keyed->mgr, key, keyed->enc_keys, keyed->dec_keys);
        break;
    default:
        byways_ipsec_mb_free(keyed);
        return NULL;
    }

    IMB_JOB *job = &keyed->job;
    job->cipher_mode = IMB_CIPHER_CNTR;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_CIPHER_HASH;
    job->hash_alg = IMB_AUTH_NULL;
    job->enc_keys = keyed->enc_keys;
    job->dec_keys = keyed->dec_keys;
    job->key_len_in_bytes = bytes;
    job->iv_len_in_bytes = 16;
    return keyed;
}

/* Xors the keystream from the counter block `iv` on into the data. */
void byways_ipsec_mb_apply(struct keyed *keyed, const uint8_t *iv, uint8_t *data, size_t len)
{
    IMB_JOB *job = &keyed->job;
    job->src = data;
    job->dst = data;
    job->iv = iv;
    job->msg_len_to_cipher_in_bytes = len;
    IMB_SUBMIT_CIPHER_BURST_NOCHECK(keyed->mgr, job, 1, IMB_CIPHER_CNTR, IMB_DIR_ENCRYPT,
                                    (IMB_KEY_SIZE_BYTES)job->key_len_in_bytes);
}

/* The library's version, as `v1.3.0`. */
const char *byways_ipsec_mb_version(void)
{
    return imb_get_version_str();
}

/* The instructions that the manager settled on. */
const char *byways_ipsec_mb_arch(const struct keyed *keyed)
{
    switch (keyed->mgr->used_arch) {
    case IMB_ARCH_NOAESNI:
        return "no AES-NI";
    case IMB_ARCH_SSE:
        return "SSE";
    case IMB_ARCH_AVX:
        return "AVX";
    case IMB_ARCH_AVX2:
        return "AVX2";
    case IMB_ARCH_AVX512:
        return "AVX-512";
    default:
        return "unknown";
    }
}
