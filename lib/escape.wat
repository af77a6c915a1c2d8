;; Escapes the inside of a JSON string, sixteen bytes at a time. Input at 0, at most 64 KiB; output at 0x20000, at most
;; six times as long. The table at 0x11000 has eight bytes for each byte value: its escape, and its length in the last.
;; A block that needs no escape is copied whole; otherwise each escape is written over the copy, and what follows it in
;; the block is copied anew behind it. Both may write up to sixteen bytes too many: the memory has room, the caller knows
;; the length.
(module
  (memory (export "memory") 9)
  (func (export "escape") (param $end i32) (result i32)
    (local $in i32) (local $out i32) (local $left i32) (local $mask i32) (local $step i32) (local $block v128)
    (local.set $out (i32.const 0x20000))
    (loop $blocks
      (if (i32.ge_u (local.get $in) (local.get $end))
        (then (return (i32.sub (local.get $out) (i32.const 0x20000)))))
      (local.set $block (v128.load (local.get $in)))
      (v128.store (local.get $out) (local.get $block))
      (local.set $left (i32.sub (local.get $end) (local.get $in)))
      (if (i32.gt_u (local.get $left) (i32.const 16)) (then (local.set $left (i32.const 16))))
      ;; one bit for each byte of the block that is below 0x20, a quote or a backslash, and not behind the end
      (local.set $mask
        (i32.and
          (i8x16.bitmask
            (v128.or
              (i8x16.lt_u (local.get $block) (i8x16.splat (i32.const 0x20)))
              (v128.or
                (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x22)))
                (i8x16.eq (local.get $block) (i8x16.splat (i32.const 0x5c))))))
          (i32.sub (i32.shl (i32.const 1) (local.get $left)) (i32.const 1))))
      (loop $escapes
        (if (local.get $mask)
          (then
            (local.set $step (i32.ctz (local.get $mask)))
            (local.set $in (i32.add (local.get $in) (local.get $step)))
            (local.set $out (i32.add (local.get $out) (local.get $step)))
            (local.set $step (i32.add (local.get $step) (i32.const 1)))
            (local.set $mask (i32.shr_u (local.get $mask) (local.get $step)))
            (local.set $left (i32.sub (local.get $left) (local.get $step)))
            (local.set $step (i32.shl (i32.load8_u (local.get $in)) (i32.const 3)))
            (i64.store (local.get $out) (i64.load offset=0x11000 (local.get $step)))
            (local.set $out (i32.add (local.get $out) (i32.load8_u offset=0x11007 (local.get $step))))
            (local.set $in (i32.add (local.get $in) (i32.const 1)))
            (v128.store (local.get $out) (v128.load (local.get $in)))
            (br $escapes))))
      (local.set $in (i32.add (local.get $in) (local.get $left)))
      (local.set $out (i32.add (local.get $out) (local.get $left)))
      (br $blocks))
    (unreachable)))
